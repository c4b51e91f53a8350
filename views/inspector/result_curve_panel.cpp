#include "views/inspector/result_curve_panel.h"

#include <imgui.h>

#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"
#include "views/common/widgets.h"
#include "views/inspector/result_curve_chart.h"

namespace ts::views {
namespace {

constexpr const char* kMenu = "###curve_menu";
constexpr const char* kMore = "\xef\x85\x81";  // ellipsis

// The chart alone, in the size of a page figure.
std::string svg_of(const Ui& ui, ResultCurveFigure figure) {
  constexpr float kWidth = 640;
  figure.metrics = {1};
  figure.mouse = {-1, -1};
  figure.plot_height = 360;
  const float height = result_curve_chart_height(figure);
  const ImGuiSink measure(*ImGui::GetWindowDrawList(), ui.faces, 1);
  SvgSink svg(measure, kWidth, height, figure.theme.bg);
  draw_result_curve_chart(svg, {0, 0, kWidth, height}, figure);
  return svg.document();
}

void draw_menu(const Ui& ui, const run::ExecutionFacts& facts, const ResultCurveFigure& figure) {
  padded_popup(kMenu, ui.px(6), [&] {
    ImGui::Dummy({ui.px(220), 0});
    if (list_row(ui, "###curve_data", ui.texts("sweep.chart.copy_data"), "", false)) {
      const auto table = report::curve_table(facts, figure.axes);
      ImGui::SetClipboardText(io::to_tsv(table).c_str());
      ImGui::CloseCurrentPopup();
    }
    if (list_row(ui, "###curve_svg", ui.texts("sweep.chart.copy_svg"), "", false)) {
      ImGui::SetClipboardText(svg_of(ui, figure).c_str());
      ImGui::CloseCurrentPopup();
    }
  });
}

}  // namespace

void draw_result_curves(const Ui& ui, const run::ExecutionFacts& facts, const spec::CurveAxes& axes,
                        float plot_height) {
  ResultCurveFigure figure{.theme = ui.theme,
                           .metrics = ui.metrics,
                           .texts = ui.texts,
                           .curves = facts.curves,
                           .axes = axes};
  if (plot_height > 0) figure.plot_height = plot_height;
  ImGui::Dummy({0, ui.px(6)});
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  section(ui, ui.texts(std::string("inspector.curve.title.") + axes.x));
  tooltip(ui, ui.texts(std::string("inspector.curve.about.") + axes.x));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float size = ui.px(24);
  ImGui::SetCursorScreenPos({top.x + width - size, top.y});
  if (button(ui, "###curve_more", kMore, "", "", ButtonKind::quiet, size)) ImGui::OpenPopup(kMenu);
  tooltip(ui, ui.texts("inspector.curve.menu"));
  draw_menu(ui, facts, figure);
  ImGui::SetCursorScreenPos({at.x, std::max(at.y, top.y + size) + ui.px(4)});

  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Rect area{origin.x, origin.y, origin.x + width,
                  origin.y + result_curve_chart_height(figure)};
  ImGui::Dummy({area.width(), area.height()});
  if (ImGui::IsItemHovered()) figure.mouse = {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_result_curve_chart(sink, area, figure);
}

bool draw_result_curves(const Ui& ui, const ViewContext& context) {
  if (context.run == nullptr || context.run->facts.curves.empty()) return false;
  draw_result_curves(ui, context.run->facts, spec::traits_of(context.run->spec.workload).curves, 0);
  return true;
}

}  // namespace ts::views
