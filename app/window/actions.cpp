#include "app/window/actions.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <array>

namespace ts::app {
namespace {

constexpr int kControl = ImGuiMod_Ctrl;
constexpr int kControlShift = ImGuiMod_Ctrl | ImGuiMod_Shift;

constexpr std::array kActions = {
    ActionRow{Action::start, "start", "menu.start", "shortcut.run", "Space", ImGuiKey_Space},
    ActionRow{Action::stop, "stop", "menu.stop", "shortcut.cancel", "Esc", ImGuiKey_Escape},
    ActionRow{Action::live, "live", "menu.live", "shortcut.live", "L", ImGuiKey_L},
    ActionRow{Action::check_values, "check_values", "menu.check_values", "shortcut.check_values",
              ""},
    ActionRow{Action::undo, "undo", "menu.undo", "shortcut.undo", "Ctrl+Z", kControl | ImGuiKey_Z,
              0, KeyReach::page, true},
    ActionRow{Action::redo, "redo", "menu.redo", "shortcut.redo", "Ctrl+Shift+Z",
              kControlShift | ImGuiKey_Z, kControl | ImGuiKey_Y, KeyReach::page, true},
    ActionRow{Action::reset_settings, "reset_settings", "menu.reset_settings",
              "shortcut.reset_settings", ""},
    ActionRow{Action::open, "open", "menu.open", "shortcut.open", "Ctrl+O", kControl | ImGuiKey_O,
              0, KeyReach::typing},
    ActionRow{Action::compare_with, "compare_with", "menu.compare_with", "shortcut.compare_with",
              "Ctrl+Shift+O", kControlShift | ImGuiKey_O, 0, KeyReach::typing},
    ActionRow{Action::clear_recent, "clear_recent", "menu.clear_recent", "shortcut.clear_recent",
              ""},
    ActionRow{Action::save, "save", "menu.save", "shortcut.save", "Ctrl+S", kControl | ImGuiKey_S,
              0, KeyReach::typing},
    ActionRow{Action::save_session, "save_session", "menu.save_session", "shortcut.save_session",
              "Ctrl+Shift+S", kControlShift | ImGuiKey_S, 0, KeyReach::typing},
    ActionRow{Action::save_page, "save_page", "menu.save_page", "shortcut.save_page", ""},
    ActionRow{Action::save_prediction, "save_prediction", "menu.save_prediction",
              "shortcut.save_prediction", ""},
    ActionRow{Action::copy_script, "copy_script", "menu.copy_script", "shortcut.copy_script", ""},
    ActionRow{Action::save_folder, "save_folder", "menu.save_folder", "shortcut.save_folder", ""},
    ActionRow{Action::picture, "picture", "menu.picture", "shortcut.picture", "F12", ImGuiKey_F12,
              0, KeyReach::always},
    ActionRow{Action::quit, "quit", "menu.quit", "shortcut.quit", "Ctrl+Q", kControl | ImGuiKey_Q,
              0, KeyReach::always},
    ActionRow{Action::page_run, "page_run", "bar.page.run", "shortcut.page_run", "Ctrl+1",
              kControl | ImGuiKey_1, 0, KeyReach::typing},
    ActionRow{Action::page_sweep, "page_sweep", "bar.page.sweep", "shortcut.page_sweep", "Ctrl+2",
              kControl | ImGuiKey_2, 0, KeyReach::typing},
    ActionRow{Action::page_hunt, "page_hunt", "bar.page.hunt", "shortcut.page_hunt", "Ctrl+3",
              kControl | ImGuiKey_3, 0, KeyReach::typing},
    ActionRow{Action::page_compare, "page_compare", "bar.page.compare", "shortcut.page_compare",
              "Ctrl+4", kControl | ImGuiKey_4, 0, KeyReach::typing},
    ActionRow{Action::page_lessons, "page_lessons", "bar.page.lessons", "shortcut.page_lessons",
              "Ctrl+5", kControl | ImGuiKey_5, 0, KeyReach::typing},
    ActionRow{Action::dark, "dark", "menu.dark", "shortcut.dark", ""},
    ActionRow{Action::light, "light", "menu.light", "shortcut.light", ""},
    ActionRow{Action::larger, "larger", "menu.larger", "shortcut.larger", "Ctrl++",
              kControl | ImGuiKey_Equal, kControlShift | ImGuiKey_Equal, KeyReach::typing},
    ActionRow{Action::smaller, "smaller", "menu.smaller", "shortcut.smaller", "Ctrl+-",
              kControl | ImGuiKey_Minus, kControl | ImGuiKey_KeypadSubtract, KeyReach::typing},
    ActionRow{Action::operators, "operators", "menu.operators", "shortcut.operators", "O",
              ImGuiKey_O},
    ActionRow{Action::trace_difference, "trace_difference", "menu.trace_difference",
              "shortcut.trace_difference", ""},
    ActionRow{Action::note, "note", "menu.note", "shortcut.note", "T", ImGuiKey_T},
    ActionRow{Action::notes, "notes", "menu.notes", "shortcut.notes", "Shift+T",
              ImGuiMod_Shift | ImGuiKey_T},
    ActionRow{Action::agreement, "agreement", "menu.agreement", "shortcut.agreement", "E",
              ImGuiKey_E},
    ActionRow{Action::projector, "projector", "menu.projector", "shortcut.projector", "P",
              ImGuiKey_P},
    ActionRow{Action::settings, "settings", "menu.settings", "shortcut.settings", "C", ImGuiKey_C},
    ActionRow{Action::demo_next, "demo_next", "menu.demo_next", "shortcut.demo_next", "N",
              ImGuiKey_N},
    ActionRow{Action::demo_back, "demo_back", "menu.demo_back", "shortcut.demo_back", "Shift+N",
              ImGuiMod_Shift | ImGuiKey_N},
    ActionRow{Action::blank, "blank", "menu.blank", "shortcut.blank", "B", ImGuiKey_B},
    ActionRow{Action::hold, "hold", "menu.hold", "shortcut.hold", "H", ImGuiKey_H},
    ActionRow{Action::enlarge, "enlarge", "menu.enlarge", "shortcut.enlarge", "Z", ImGuiKey_Z},
    ActionRow{Action::reset_layout, "reset_layout", "menu.reset_layout", "shortcut.reset_layout",
              ""},
    ActionRow{Action::next_panel, "next_panel", "menu.next_panel", "shortcut.next_panel", "F6",
              ImGuiKey_F6, kControl | ImGuiKey_Tab, KeyReach::typing},
    ActionRow{Action::previous_panel, "previous_panel", "menu.previous_panel",
              "shortcut.previous_panel", "Shift+F6", ImGuiMod_Shift | ImGuiKey_F6,
              kControlShift | ImGuiKey_Tab, KeyReach::typing},
    ActionRow{Action::palette, "palette", "menu.palette", "shortcut.palette", "Ctrl+Shift+P",
              kControlShift | ImGuiKey_P, 0, KeyReach::typing},
    ActionRow{Action::glossary, "glossary", "menu.glossary", "shortcut.glossary", "G", ImGuiKey_G},
    ActionRow{Action::calculators, "calculators", "menu.calculators", "shortcut.calculators", "K",
              ImGuiKey_K},
    ActionRow{Action::simulations, "simulations", "menu.simulations", "shortcut.simulations",
              "Shift+K", ImGuiMod_Shift | ImGuiKey_K},
    ActionRow{Action::steppers, "steppers", "menu.steppers", "shortcut.steppers", "J", ImGuiKey_J},
    ActionRow{Action::advisor, "advisor", "menu.advisor", "shortcut.advisor", "V", ImGuiKey_V},
    ActionRow{Action::cluster, "cluster", "menu.cluster", "shortcut.cluster", "Shift+V",
              ImGuiMod_Shift | ImGuiKey_V},
    ActionRow{Action::loader, "loader", "menu.loader", "shortcut.loader", "Shift+L",
              ImGuiMod_Shift | ImGuiKey_L},
    ActionRow{Action::ranks, "ranks", "menu.ranks", "shortcut.ranks", "Shift+R",
              ImGuiMod_Shift | ImGuiKey_R},
    ActionRow{Action::trees, "trees", "menu.trees", "shortcut.trees", "Q", ImGuiKey_Q},
    ActionRow{Action::kernels, "kernels", "menu.kernels", "shortcut.kernels", "Y", ImGuiKey_Y},
    ActionRow{Action::shortcuts, "shortcuts", "menu.shortcuts", "shortcut.sheet", "?",
              ImGuiMod_Shift | ImGuiKey_Slash, ImGuiKey_F1},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kActions.size(); ++i) {
    if (kActions[i].action != static_cast<Action>(i)) return false;
  }
  return true;
}
static_assert(in_order());

constexpr bool each_chord_once() {
  for (std::size_t i = 0; i < kActions.size(); ++i) {
    for (const int chord : {kActions[i].chord, kActions[i].other_chord}) {
      if (chord == 0) continue;
      for (std::size_t other = i + 1; other < kActions.size(); ++other) {
        if (kActions[other].chord == chord || kActions[other].other_chord == chord) return false;
      }
    }
  }
  return true;
}
static_assert(each_chord_once());

bool pressed_chord(int chord, bool repeats) {
  if (chord == 0) return false;
  // True whoever owns the key: Space belongs to the page, see Workspace::keep_keys().
  return ImGui::IsKeyChordPressed(chord, repeats ? ImGuiInputFlags_Repeat : ImGuiInputFlags_None,
                                  ImGuiKeyOwner_Any);
}

}  // namespace

std::span<const ActionRow> action_rows() {
  return kActions;
}

const ActionRow& action_row(Action action) {
  return kActions[static_cast<std::size_t>(action)];
}

bool chord_pressed(const ActionRow& row) {
  return pressed_chord(row.chord, row.repeats) || pressed_chord(row.other_chord, row.repeats);
}

}  // namespace ts::app
