#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/result_curves.h"
#include "core/run/engine.h"
#include "core/spec/workload_traits.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The curves of a run over their common x. One line each, distinguished by colour and dashes; the
// exact curve is thin. Below: every name with its y at the x under the mouse, or at the last x.
struct ResultCurveFigure {
  const Theme& theme;
  Metrics metrics;
  const text::Texts& texts;
  const std::vector<run::ResultCurve>& curves;
  spec::CurveAxes axes;     // names: the end of inspector.curve.NAME, or the whole key of a text
  std::string x_name = {};  // set: in place of the name in `axes`
  Point mouse{-1, -1};
  float plot_height = 190;  // at scale 1, with the axes
};

// Height of the figure in pixels, with its list of names.
float result_curve_chart_height(const ResultCurveFigure& figure);

// Returns the index of the x under the mouse. UI thread.
std::optional<std::size_t> draw_result_curve_chart(DrawSink& sink, const Rect& area,
                                                   const ResultCurveFigure& figure);

}  // namespace ts::views
