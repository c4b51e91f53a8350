#include "views/common/context_menu.h"

#include <imgui.h>

#include <algorithm>

#include "views/common/widgets.h"

namespace ts::views {

namespace {

// True when a row of a menu below this one was chosen.
bool menu_rows(const Ui& ui, std::span<const MenuRow> rows) {
  bool chosen = false;
  for (const MenuRow& row : rows) {
    if (!row.more.empty()) {
      // As high as a row of the list, and its words where theirs begin.
      const FontScope font(ui, TextStyle::body);
      const float spacing = std::max(0.0F, ui.px(29) - ImGui::GetTextLineHeight());
      ImGui::Indent(ui.px(8));
      ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(16), spacing));
      const bool open = ImGui::BeginMenu((row.words + row.id).c_str());
      ImGui::PopStyleVar();
      ImGui::Unindent(ui.px(8));
      if (open) {
        chosen = menu_rows(ui, row.more) || chosen;
        ImGui::EndMenu();
      }
    } else if (list_row(ui, row.id.c_str(), row.words, row.key, false)) {
      row.perform();
      chosen = true;
    }
  }
  return chosen;
}

}  // namespace

void context_menu(const Ui& ui, const char* id, const std::string& title,
                  std::span<const MenuRow> rows) {
  padded_popup(id, ui.px(6), [&] {
    ImGui::Indent(ui.px(8));
    text(ui, TextStyle::small, ui.theme.text2, title);
    ImGui::Unindent(ui.px(8));
    ImGui::Dummy({ui.px(220), 0});
    if (menu_rows(ui, rows)) ImGui::CloseCurrentPopup();
  });
}

}  // namespace ts::views
