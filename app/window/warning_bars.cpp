#include "app/window/warning_bars.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "app/pages/page_frame.h"
#include "core/text/numbers.h"
#include "views/common/ids.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::app {

using views::TextStyle;

void draw_restart_bar(const views::Ui& ui, const run::Run* run, Requests& requests) {
  if (run == nullptr || !run->failure.restart) return;
  const auto& t = ui.texts;
  const float height = ui.px(44);
  if (ImGui::BeginViewportSideBar(views::ids::kRestartBar, ImGui::GetMainViewport(), ImGuiDir_Up,
                                  height, kStripFlags)) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    sink.fill({origin.x, origin.y + height - 1, origin.x + width, origin.y + height},
              ui.theme.line);
    const char* const icon = "\xef\x81\xb1";  // warning triangle
    const float y = origin.y + (height - sink.text_height(TextStyle::body_medium)) / 2;
    float x = origin.x + ui.px(16);
    sink.text({x, y}, TextStyle::body_medium, ui.theme.bad, icon);
    x += sink.text_width(TextStyle::body_medium, icon) + ui.px(10);
    const char* const sentence = t("restart.sentence");
    sink.text({x, y}, TextStyle::body_medium, ui.theme.text, sentence);
    x += sink.text_width(TextStyle::body_medium, sentence) + ui.px(16);
    ImGui::SetCursorScreenPos({x, origin.y + (height - ImGui::GetFrameHeight()) / 2});
    requests.restart =
        views::text_button(ui, "###restart", "restart.button", views::ButtonKind::primary);
    views::tooltip(ui, t("restart.tooltip"));
  }
  ImGui::End();
}

void draw_limit_bar(const views::Ui& ui, WorkspaceState& state) {
  if (state.old_limit == 0) return;
  spec::WorkloadSpec spec = state.history.spec();
  if (spec.memory_limit != state.old_limit) {
    state.old_limit = 0;
    return;
  }
  const float height = ui.px(44);
  if (ImGui::BeginViewportSideBar("###limit_bar", ImGui::GetMainViewport(), ImGuiDir_Up, height,
                                  kStripFlags)) {
    views::ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 origin = ImGui::GetWindowPos();
    sink.fill(
        {origin.x, origin.y + height - 1, origin.x + ImGui::GetWindowWidth(), origin.y + height},
        ui.theme.line);
    const std::string words =
        ui.texts("bar.limit_kept", {{"size", text::bytes(state.old_limit).joined()}});
    const float y = origin.y + (height - sink.text_height(TextStyle::body)) / 2;
    sink.text({origin.x + ui.px(16), y}, TextStyle::body, ui.theme.warn, words);
    ImGui::SetCursorScreenPos({origin.x + ui.px(32) + sink.text_width(TextStyle::body, words),
                               origin.y + (height - ui.px(28)) / 2});
    if (views::text_button(ui, "###limit_remove", "bar.limit_remove", views::ButtonKind::primary)) {
      spec.memory_limit = 0;
      state.history.set(spec);
      state.old_limit = 0;
    }
    ImGui::SameLine(0, ui.px(8));
    if (views::text_button(ui, "###limit_keep", "bar.limit_keep", views::ButtonKind::plain))
      state.old_limit = 0;
  }
  ImGui::End();
}

}  // namespace ts::app
