#include "app/pages/sheet.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace ts::app {

void draw_sheet(const views::Ui& ui, const char* title, const char* id, bool& open,
                const std::function<void()>& draw, SheetSize size) {
  if (!open) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImVec2 wanted{viewport->WorkSize.x * 0.86F, viewport->WorkSize.y * 0.8F};
  if (size == SheetSize::full)
    wanted = {viewport->WorkSize.x * 0.96F, viewport->WorkSize.y * 0.94F};
  if (size == SheetSize::small) {
    wanted = {std::min(wanted.x, ui.px(640)), std::min(wanted.y, ui.px(210))};
  }
  ImGui::SetNextWindowSize(wanted, ImGuiCond_Appearing);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(20), ui.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  const std::string words = std::string(ui.texts(title)) + id;
  if (ImGui::Begin(words.c_str(), &open,
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings)) {
    draw();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace ts::app
