#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "views/common/ui.h"

namespace ts::views {

// A row of a menu: the words, the key with the same effect, and the action.
struct MenuRow {
  std::string id;  // stable: "###slice_zoom"
  std::string words;
  std::string key = {};
  std::function<void()> perform = {};
  std::vector<MenuRow> more = {};  // a menu of its own in place of the action
};

// The context menu of the item under a right click. Open it with ImGui::OpenPopup(id). Draws
// nothing while it is closed. `title` names the clicked item.
void context_menu(const Ui& ui, const char* id, const std::string& title,
                  std::span<const MenuRow> rows);

}  // namespace ts::views
