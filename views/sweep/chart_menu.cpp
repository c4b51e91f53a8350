// The actions on one chart of the figure.
#include <imgui.h>

#include "views/common/imgui_sink.h"
#include "views/common/svg_sink.h"
#include "views/common/widgets.h"
#include "views/sweep/chart_data.h"
#include "views/sweep/sweep_view.h"

namespace ts::views {
namespace {

constexpr const char* kMenu = "###chart_menu";
constexpr const char* kMore = "\xef\x85\x81";  // ellipsis

std::string data_of(const SweepFigure& figure, SweepChart chart) {
  const auto analysis = analyse(figure.sweep, figure.look.fit, figure.references);
  return io::to_tsv(chart_data(chart, figure.sweep, analysis, figure.texts));
}

// The chart alone as SVG, in a size for a page.
std::string svg_of(const Ui& ui, const SweepFigure& figure, SweepChart chart) {
  constexpr float kWidth = 960;
  constexpr float kHeight = 600;
  const ImGuiSink measure(*ImGui::GetWindowDrawList(), ui.faces, 1);
  SvgSink svg(measure, kWidth, kHeight, figure.theme.bg);
  SweepFigure alone = figure;
  alone.only = chart;
  alone.mouse = {-1, -1};
  alone.metrics = {1};
  draw_sweep_figure(svg, {0, 0, kWidth, kHeight}, alone);
  return svg.document();
}

}  // namespace

void draw_chart_menu(const Ui& ui, const SweepFigure& figure, bool asked, const SweepHit& hit,
                     SweepPageState& state, SweepRequests& requests) {
  if (hit.chart && !ImGui::IsPopupOpen(kMenu)) {
    const float size = ui.px(28);
    ImGui::SetCursorScreenPos({hit.box.x1 - size - ui.px(4), hit.box.y0 + ui.px(4)});
    asked = button(ui, "###chart_more", kMore, "", "", ButtonKind::quiet, size) || asked;
    tooltip(ui, ui.texts("sweep.chart.menu"));
    if (asked) {
      state.menu = *hit.chart;
      ImGui::OpenPopup(kMenu);
    }
  }
  padded_popup(kMenu, ui.px(6), [&] {
    ImGui::Dummy({ui.px(220), 0});
    if (list_row(ui, "###chart_data", ui.texts("sweep.chart.copy_data"), "", false)) {
      requests.clipboard = data_of(figure, state.menu);
      ImGui::CloseCurrentPopup();
    }
    if (list_row(ui, "###chart_svg", ui.texts("sweep.chart.copy_svg"), "", false)) {
      requests.clipboard = svg_of(ui, figure, state.menu);
      ImGui::CloseCurrentPopup();
    }
    if (list_row(ui, "###chart_save", ui.texts("sweep.chart.save"), "", false)) {
      requests.save_chart = state.menu;
      ImGui::CloseCurrentPopup();
    }
  });
}

}  // namespace ts::views
