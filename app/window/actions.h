#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "app/pages/page.h"

// The commands of the window: name, keys as they are displayed, and the rest of an ActionRow.
#define TENSORSCOPE_ACTIONS(EACH)                                                                  \
  EACH(start, "Space", ImGuiKey_Space)                                                             \
  EACH(stop, "Esc", ImGuiKey_Escape)                                                               \
  EACH(live, "L", ImGuiKey_L)                                                                      \
  EACH(check_values, "")                                                                           \
  EACH(undo, "Ctrl+Z", ImGuiMod_Ctrl | ImGuiKey_Z, 0, KeyReach::page, true)                        \
  EACH(redo, "Ctrl+Shift+Z", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z,                          \
       ImGuiMod_Ctrl | ImGuiKey_Y, KeyReach::page, true)                                           \
  EACH(reset_settings, "")                                                                         \
  EACH(open, "Ctrl+O", ImGuiMod_Ctrl | ImGuiKey_O, 0, KeyReach::typing)                            \
  EACH(compare_with, "Ctrl+Shift+O", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O, 0,               \
       KeyReach::typing)                                                                           \
  EACH(clear_recent, "")                                                                           \
  EACH(save, "Ctrl+S", ImGuiMod_Ctrl | ImGuiKey_S, 0, KeyReach::typing)                            \
  EACH(save_session, "Ctrl+Shift+S", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S, 0,               \
       KeyReach::typing)                                                                           \
  EACH(save_page, "")                                                                              \
  EACH(save_prediction, "")                                                                        \
  EACH(copy_script, "")                                                                            \
  EACH(save_folder, "")                                                                            \
  EACH(picture, "F12", ImGuiKey_F12, 0, KeyReach::always)                                          \
  EACH(quit, "Ctrl+Q", ImGuiMod_Ctrl | ImGuiKey_Q, 0, KeyReach::always)                            \
  EACH(page_run, "Ctrl+1", ImGuiMod_Ctrl | ImGuiKey_1, 0, KeyReach::typing)                        \
  EACH(page_sweep, "Ctrl+2", ImGuiMod_Ctrl | ImGuiKey_2, 0, KeyReach::typing)                      \
  EACH(page_hunt, "Ctrl+3", ImGuiMod_Ctrl | ImGuiKey_3, 0, KeyReach::typing)                       \
  EACH(page_compare, "Ctrl+4", ImGuiMod_Ctrl | ImGuiKey_4, 0, KeyReach::typing)                    \
  EACH(page_lessons, "Ctrl+5", ImGuiMod_Ctrl | ImGuiKey_5, 0, KeyReach::typing)                    \
  EACH(dark, "")                                                                                   \
  EACH(light, "")                                                                                  \
  EACH(larger, "Ctrl++", ImGuiMod_Ctrl | ImGuiKey_Equal,                                           \
       ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal, KeyReach::typing)                          \
  EACH(smaller, "Ctrl+-", ImGuiMod_Ctrl | ImGuiKey_Minus, ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract, \
       KeyReach::typing)                                                                           \
  EACH(operators, "O", ImGuiKey_O)                                                                 \
  EACH(trace_difference, "")                                                                       \
  EACH(note, "T", ImGuiKey_T)                                                                      \
  EACH(notes, "Shift+T", ImGuiMod_Shift | ImGuiKey_T)                                              \
  EACH(agreement, "E", ImGuiKey_E)                                                                 \
  EACH(projector, "P", ImGuiKey_P)                                                                 \
  EACH(settings, "C", ImGuiKey_C)                                                                  \
  EACH(demo_next, "N", ImGuiKey_N)                                                                 \
  EACH(demo_back, "Shift+N", ImGuiMod_Shift | ImGuiKey_N)                                          \
  EACH(blank, "B", ImGuiKey_B)                                                                     \
  EACH(hold, "H", ImGuiKey_H)                                                                      \
  EACH(enlarge, "Z", ImGuiKey_Z)                                                                   \
  EACH(reset_layout, "")                                                                           \
  EACH(next_panel, "F6", ImGuiKey_F6, ImGuiMod_Ctrl | ImGuiKey_Tab, KeyReach::typing)              \
  EACH(previous_panel, "Shift+F6", ImGuiMod_Shift | ImGuiKey_F6,                                   \
       ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Tab, KeyReach::typing)                            \
  EACH(palette, "Ctrl+Shift+P", ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P, 0, KeyReach::typing)  \
  EACH(glossary, "G", ImGuiKey_G)                                                                  \
  EACH(calculators, "K", ImGuiKey_K)                                                               \
  EACH(simulations, "Shift+K", ImGuiMod_Shift | ImGuiKey_K)                                        \
  EACH(steppers, "J", ImGuiKey_J)                                                                  \
  EACH(advisor, "V", ImGuiKey_V)                                                                   \
  EACH(cluster, "Shift+V", ImGuiMod_Shift | ImGuiKey_V)                                            \
  EACH(loader, "Shift+L", ImGuiMod_Shift | ImGuiKey_L)                                             \
  EACH(ranks, "Shift+R", ImGuiMod_Shift | ImGuiKey_R)                                              \
  EACH(trees, "Q", ImGuiKey_Q)                                                                     \
  EACH(kernels, "Y", ImGuiKey_Y)                                                                   \
  EACH(shortcuts, "?", ImGuiMod_Shift | ImGuiKey_Slash, ImGuiKey_F1)

namespace ts::app {

#define TENSORSCOPE_ACTION(name, ...) name,
enum class Action : std::uint8_t { TENSORSCOPE_ACTIONS(TENSORSCOPE_ACTION) };
#undef TENSORSCOPE_ACTION

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

// The command that shows one of kPages, and the page that a command shows; unset: it does something
// else.
Action action_of(Page page);
std::optional<Page> page_of(Action action);

std::span<const ActionRow> action_rows();  // by Action
const ActionRow& action_row(Action action);

// True if its keys were pressed in this frame.
bool chord_pressed(const ActionRow& row);

}  // namespace ts::app
