#include "views/inspector/steps_panel.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "core/text/numbers.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/inspector/step_strip.h"

namespace ts::views {

void draw_steps(const Ui& ui, const run::Run& run, float height) {
  const StepStrip strip = step_strip(run);
  if (strip.steps.empty()) return;
  ImGui::Dummy({0, ui.px(6)});
  section(ui, ui.texts("inspector.steps"), text::duration_ns(strip.highest_ms * 1e6).joined());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect area{at.x, at.y, at.x + ImGui::GetContentRegionAvail().x, at.y + height};
  ImGui::Dummy({area.width(), area.height()});
  const bool hovered = ImGui::IsItemHovered();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto hit = draw_step_strip(sink, ui.theme, area, strip,
                                   hovered ? Point{mouse.x, mouse.y} : Point{-1, -1});
  const auto warmups = static_cast<std::size_t>(
      std::ranges::count_if(strip.steps, [](const auto& step) { return step.warmup; }));
  if (hit) {
    const StepStrip::Step& step = strip.steps[*hit];
    const char* key = step.warmup    ? "inspector.step_of_warmup"
                      : step.outlier ? "inspector.step_outlier"
                                     : "inspector.step_timed";
    const std::size_t number = step.warmup ? *hit : *hit - warmups;
    tooltip(ui, ui.texts(key, {{"number", std::to_string(number + 1)},
                               {"time", text::duration_ns(step.ms * 1e6).joined()}}));
  }
  const auto outliers = static_cast<std::size_t>(
      std::ranges::count_if(strip.steps, [](const auto& step) { return step.outlier; }));
  const auto legend = [&](Color color, const char* key, std::size_t count) {
    if (count == 0) return;
    text(ui, TextStyle::small, color, ui.texts(key, {{"count", std::to_string(count)}}));
    ImGui::SameLine(0, ui.px(12));
  };
  legend(ui.theme.warn, "inspector.steps_warmup", warmups);
  legend(ui.theme.accent, "inspector.steps_timed", strip.steps.size() - warmups);
  legend(ui.theme.bad, "inspector.steps_outlier", outliers);
  ImGui::NewLine();
}

}  // namespace ts::views
