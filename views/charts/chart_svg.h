#pragma once

#include <imgui.h>

#include <string>

#include "views/charts/chart_input.h"
#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"
#include "views/common/view_state.h"

namespace ts::views {

// A chart alone as an SVG document of that size in pixels, with the look and the range of the
// context, whose state stays. `Chart` is made anew, so nothing is under the mouse. UI thread.
template <class Chart>
std::string chart_svg(const ViewContext& context, float width, float height) {
  const ImGuiSink measure(*ImGui::GetWindowDrawList(), *context.faces, context.metrics.scale);
  SvgSink svg(measure, width, height, context.theme.bg);
  const ViewState kept = context.state;
  ViewContext alone = context;
  alone.picture = true;
  Chart chart;
  chart.lay_out(svg, {0, 0, width, height}, alone);
  chart.update(ChartInput(), alone);
  chart.draw(svg, alone);
  alone.state = kept;
  return svg.document();
}

}  // namespace ts::views
