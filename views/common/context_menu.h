#pragma once

#include <functional>
#include <span>
#include <string>

#include "views/common/ui.h"

namespace ts::views {

// A line of a menu: what is done, the key that does the same, and doing it.
struct MenuRow {
  std::string id;  // stable: "###slice_zoom"
  std::string words;
  std::string key;
  std::function<void()> perform;
};

// The menu of what was clicked with the right button, opened with ImGui::OpenPopup(id); nothing
// while it is closed. `title` names what it is about.
void context_menu(const Ui& ui, const char* id, const std::string& title,
                  std::span<const MenuRow> rows);

}  // namespace ts::views
