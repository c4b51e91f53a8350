// The sheets over the panels, and that of the shortcuts.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/window/workspace.h"
#include "views/common/widgets.h"

namespace ts::app {

using views::TextStyle;

void Workspace::draw_sheet(const views::Ui& ui, const char* title, const char* id, bool& open,
                           const std::function<void()>& draw, SheetSize size) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImVec2 wanted{viewport->WorkSize.x * 0.86F, viewport->WorkSize.y * 0.8F};
  if (size == SheetSize::small) {
    wanted = {std::min(wanted.x, ui.px(640)), std::min(wanted.y, ui.px(210))};
  }
  ImGui::SetNextWindowSize(wanted, ImGuiCond_Appearing);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(20), ui.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  const std::string words = std::string((*texts_)(title)) + id;
  if (ImGui::Begin(words.c_str(), &open,
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings)) {
    draw();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void Workspace::draw_shortcuts(const views::Ui& ui) {
  struct Shortcut {
    std::string keys;
    const char* what;
  };
  // Keys of the item under the mouse: they are no commands of the window.
  std::vector<Shortcut> shortcuts = {
      {"Enter", "shortcut.press"},
      {"Tab", "shortcut.tab"},
      {"\xe2\x86\x90 / \xe2\x86\x92", "shortcut.arrows"},
      {"\xe2\x86\x90 \xe2\x86\x91 \xe2\x86\x92 \xe2\x86\x93", "shortcut.chart_arrows"},
      {"W / S", "shortcut.zoom"},
      {"Shift+W / S", "shortcut.zoom_bytes"},
      {"Shift+A / D", "shortcut.pan_bytes"},
      {"A / D", "shortcut.pan"},
      {"F", "shortcut.fit"},
      {"M", "shortcut.mark"},
      {"/", "shortcut.search"},
      {ui.texts("shortcut.box_zoom_keys"), "shortcut.box_zoom"},
      {"Ctrl+C", "shortcut.copy"}};
  for (const ActionRow& row : action_rows()) {
    if (*row.keys != '\0') shortcuts.push_back({keys_of(row), row.what});
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.surface2);
  if (ImGui::Begin("###shortcuts", &show_shortcuts_,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize |
                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings)) {
    views::text(ui, TextStyle::body_strong, ui.theme.text, (*texts_)("shortcut.title"));
    ImGui::Dummy({0, ui.px(6)});
    // Two columns: one would be higher than a small window.
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(10), ui.px(2)));
    if (ImGui::BeginTable("keys", 4, ImGuiTableFlags_SizingFixedFit)) {
      const std::size_t rows = (shortcuts.size() + 1) / 2;
      for (std::size_t i = 0; i < rows * 2; ++i) {
        const std::size_t at = i / 2 + (i % 2) * rows;
        ImGui::TableNextColumn();
        if (at < shortcuts.size())
          views::text(ui, TextStyle::mono, ui.theme.accent, shortcuts[at].keys);
        ImGui::TableNextColumn();
        if (at < shortcuts.size())
          views::text(ui, TextStyle::body, ui.theme.text, (*texts_)(shortcuts[at].what));
      }
      ImGui::EndTable();
    }
    ImGui::PopStyleVar();
    const bool outside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
    if (outside) show_shortcuts_ = false;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace ts::app
