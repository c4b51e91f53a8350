#include "app/window/actions.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <array>

namespace ts::app {
namespace {

#define TENSORSCOPE_ACTION_ROW(name, ...) \
  ActionRow{Action::name, #name, "action.name." #name, "action.what." #name, __VA_ARGS__},
constexpr std::array kActions = {TENSORSCOPE_ACTIONS(TENSORSCOPE_ACTION_ROW)};
#undef TENSORSCOPE_ACTION_ROW

// The commands of the pages follow each other as the pages do.
constexpr auto kFirstPage = static_cast<std::size_t>(Action::page_run);
static_assert(static_cast<std::size_t>(Action::page_lessons) - kFirstPage + 1 == kPages.size());

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

Action action_of(Page page) {
  return static_cast<Action>(kFirstPage + static_cast<std::size_t>(page));
}

std::optional<Page> page_of(Action action) {
  const std::size_t page = static_cast<std::size_t>(action) - kFirstPage;
  return page < kPages.size() ? std::optional(kPages[page]) : std::nullopt;
}

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
