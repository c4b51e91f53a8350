#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/reference_points.h"
#include "core/run/sweep_results.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/sweep/series_style.h"

namespace ts::views {

// How the figure is to look, as far as the reader chooses.
struct SweepLook {
  std::optional<bool> log_x, log_y;  // unset: what suits the values
  run::FitRange fit;                 // of the first axis
};

// What the figure of a sweep is drawn from. Nothing of it may be kept.
struct SweepFigure {
  const run::Sweep& sweep;
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  std::string caption;  // under the panels; empty: none
  Point mouse{-1, -1};  // outside: nothing is pointed at
  SweepLook look = {};
  std::span<const run::ReferenceSeries> references = {};  // published; those that fit are drawn
};

// Rows of panels the figure has at this width, at the height that suits them.
float wanted_height(const run::Sweep& sweep, float width, Metrics metrics);

// Draws as many panels as there is room for: step time, peak memory, then throughput (over B) or
// speed-up (several series), fit, throughput, and what the curves say in words. Returns the point
// that the mouse is at.
std::optional<std::size_t> draw_sweep_figure(DrawSink& sink, const Rect& area,
                                             const SweepFigure& figure);

// The lines of the read-out of a point.
std::vector<std::string> point_lines(const SweepFigure& figure, std::size_t point);

// "T^1.93", and with `interval` "T^1.93 [1.85, 2.01]".
std::string slope_words(const std::string& axis, const stats::PowerFit& fit, bool interval);
// Fits, crossovers and saturation as sentences in the chosen language.
std::vector<std::string> finding_lines(const run::Sweep& sweep, const text::Texts& texts,
                                       run::FitRange range = {});
// The status in one word, and what there is to say about it.
std::string status_words(const run::SweepPoint& point, const text::Texts& texts);
// Predicted peak over the measured one: "+0.31 %"; empty where one of them is missing.
std::string prediction_error_words(const run::SweepPoint& point);
// "flash, T = 512".
std::string place_words(const run::Sweep& sweep, std::size_t point);

}  // namespace ts::views
