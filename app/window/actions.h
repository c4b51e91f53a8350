#pragma once

#include <cstdint>
#include <span>

namespace ts::app {

// The commands of the window.
enum class Action : std::uint8_t {
  start,
  stop,
  live,
  check_values,
  undo,
  redo,
  reset_settings,
  open,
  compare_with,
  clear_recent,
  save,
  save_session,
  save_page,
  save_prediction,
  copy_script,
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
  trace_difference,
  note,
  notes,
  agreement,
  projector,
  settings,
  demo_next,
  demo_back,
  blank,
  hold,
  enlarge,
  reset_layout,
  next_panel,
  previous_panel,
  palette,
  glossary,
  calculators,
  simulations,
  steppers,
  advisor,
  cluster,
  loader,
  ranks,
  trees,
  kernels,
  shortcuts,
};

// When the keys of a row work: only if nothing else has the keyboard, also while text is typed, or
// also while a list is open.
enum class KeyReach : std::uint8_t { page, typing, always };

// The only table of the window's commands, used by menus, keys, the palette and the sheet of
// shortcuts. Workspace decides whether a command is possible, why not, and what it does.
struct ActionRow {
  Action action;
  const char* id;    // stable: "###menu_start", "###command_start"
  const char* name;  // key of the short text in a menu
  const char* what;  // key of the text that says what it does
  const char* keys;  // as displayed beside it; empty: none
  // Dear ImGui's key chords, both of them; 0: none.
  int chord = 0;
  int other_chord = 0;
  KeyReach reach = KeyReach::page;
  bool repeats = false;  // while its keys are held
};

std::span<const ActionRow> action_rows();  // by Action
const ActionRow& action_row(Action action);

// True if its keys were pressed in this frame.
bool chord_pressed(const ActionRow& row);

}  // namespace ts::app
