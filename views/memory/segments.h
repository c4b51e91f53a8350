#pragma once

#include <array>
#include <string_view>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// A choice of two, drawn as two joined fields. The chosen one is raised.
struct TwoSegments {
  Rect first;
  Rect second;
};
float segments_width(const DrawSink& sink, Metrics metrics, std::string_view first,
                     std::string_view second);
TwoSegments lay_out_segments(const DrawSink& sink, Metrics metrics, const Rect& item,
                             std::string_view first, std::string_view second);
void draw_segments(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                   std::string_view first, std::string_view second, bool second_chosen);

// A slider on a logarithmic scale. Label and value are on the left, the track on the right.
Rect slider_track(Metrics metrics, const Rect& item);
void draw_slider(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& item,
                 std::string_view label, float part);

}  // namespace ts::views
