#pragma once

#include <cstdint>
#include <span>

namespace ts::app {

// What the user can ask of the window.
enum class Action : std::uint8_t {
  start,
  stop,
  live,
  undo,
  redo,
  reset_settings,
  open,
  save,
  save_prediction,
  save_folder,
  picture,
  quit,
  page_run,
  page_sweep,
  page_hunt,
  page_compare,
  page_lessons,
  dark,
  light,
  larger,
  smaller,
  operators,
  agreement,
  projector,
  settings,
  reset_layout,
  next_panel,
  previous_panel,
  palette,
  glossary,
  shortcuts,
};

// What else may have the keyboard while the keys of a row are heard: nothing, a text that is typed,
// or that and an open list.
enum class KeyReach : std::uint8_t { page, typing, always };

// The one table of what the window can be asked for: menus, keys, the palette and the sheet of
// shortcuts read it. Whether a row can be asked for, why not, and what it does is Workspace's to
// say.
struct ActionRow {
  Action action;
  const char* id;    // stable: "###menu_start", "###command_start"
  const char* name;  // key of the short text in a menu
  const char* what;  // key of the text that says what it does
  const char* keys;  // as written beside it; empty: none
  // Dear ImGui's key chords, both of them; 0: none.
  int chord = 0;
  int other_chord = 0;
  KeyReach reach = KeyReach::page;
  bool repeats = false;  // while its keys are held
};

std::span<const ActionRow> action_rows();  // by Action
const ActionRow& action_row(Action action);

// Its keys were pressed in this frame.
bool chord_pressed(const ActionRow& row);

}  // namespace ts::app
