#include "views/common/context_menu.h"

#include <imgui.h>

#include "views/common/widgets.h"

namespace ts::views {

void context_menu(const Ui& ui, const char* id, const std::string& title,
                  std::span<const MenuRow> rows) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(6), ui.px(6)));
  if (ImGui::BeginPopup(id)) {
    ImGui::Indent(ui.px(8));
    text(ui, TextStyle::small, ui.theme.text2, title);
    ImGui::Unindent(ui.px(8));
    ImGui::Dummy({ui.px(220), 0});
    for (const MenuRow& row : rows) {
      if (!list_row(ui, row.id.c_str(), row.words, row.key, false)) continue;
      row.perform();
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace ts::views
