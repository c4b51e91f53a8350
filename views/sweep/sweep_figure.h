#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/sweep/reference_points.h"
#include "core/sweep/sweep_results.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/sweep/series_style.h"
#include "views/sweep/sweep_analysis.h"

namespace ts::views {

// The content of a chart of the figure.
enum class SweepChart : std::uint8_t {
  time,
  memory,
  throughput,  // tokens/s
  samples,     // samples/s; over B
  speed_up,
  fit,
  roofline,
  percentiles,
  parts,
  findings,
};
inline constexpr int kSweepChartCount = 10;
const char* to_string(SweepChart chart);  // time memory throughput ...: names of files too
// The charts that this sweep has something for, in their order.
std::vector<SweepChart> charts_of(const sweep::Sweep& sweep, const SweepAnalysis& analysis);

// The look of the figure, as far as the reader chooses it.
struct SweepStyle {
  std::optional<bool> log_x, log_y;  // unset: chosen to suit the values
  sweep::FitRange fit;               // of the first axis
};

// The inputs of the figure of a sweep. No part of it may be kept.
struct SweepFigure {
  const sweep::Sweep& sweep;
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  std::string caption = {};  // under the panels; empty: none
  Point mouse{-1, -1};       // outside: nothing is pointed at
  SweepStyle look = {};
  std::span<const sweep::ReferenceSeries> references = {};  // published; those that fit are drawn
  std::optional<SweepChart> only = {};                      // this chart alone, over the whole area
  SweepAnalysisCache* cache = nullptr;                      // null: computed anew
  std::string stale = {};  // differing settings: the charts are faint and name them
  Rect seen = {};          // the visible part of the area; empty: all of it
};

// The items under the mouse.
struct SweepHit {
  std::optional<std::size_t> point;
  std::optional<SweepChart> chart;
  Rect box;  // of that chart
};

// The height of all rows of panels at this width: as many whole rows as possible fit into `seen`
// pixels of it, and none is cut.
float wanted_height(const SweepFigure& figure, float width, float seen);

// Draws as many of charts_of() as there is room for.
SweepHit draw_sweep_figure(DrawSink& sink, const Rect& area, const SweepFigure& figure);

// The lines of the read-out of a point.
std::vector<std::string> point_lines(const SweepFigure& figure, std::size_t point);

// "T^1.93", and with `interval` "T^1.93 [1.85, 2.01]".
std::string slope_text(const std::string& axis, const stats::PowerFit& fit, bool interval);
// Fits, crossovers and saturation as sentences in the chosen language.
std::vector<std::string> finding_lines(const sweep::Sweep& sweep, const SweepAnalysis& analysis,
                                       const text::Texts& texts);
// The status in one word, with its details.
std::string status_text(const sweep::SweepPoint& point, const text::Texts& texts);
// Predicted peak relative to the measured one: "+0.31 %"; empty if one of them is missing.
std::string prediction_error_text(const sweep::SweepPoint& point);

}  // namespace ts::views
