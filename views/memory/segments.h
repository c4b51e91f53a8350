#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// A choice of a few, drawn as joined fields. The chosen one is raised.
float segments_width(const DrawSink& sink, Metrics metrics, std::span<const std::string> words);
std::vector<Rect> lay_out_segments(const DrawSink& sink, Metrics metrics, const Rect& item,
                                   std::span<const std::string> words);
void draw_segments(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                   std::span<const std::string> words, std::size_t chosen);

// A slider on a logarithmic scale. Label and value are on the left, the track on the right.
Rect slider_track(Metrics metrics, const Rect& item);
void draw_slider(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                 std::string_view label, float part);

}  // namespace ts::views
