// The commands of the window: what they do, when they are possible, and who has the keys.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/window/actions.h"
#include "app/window/workspace.h"
#include "views/common/spec_words.h"

namespace ts::app {
namespace {

// Panels that can have the focus ring, from left to right and from top to bottom.
std::vector<ImGuiWindow*> panels_in_order() {
  std::vector<ImGuiWindow*> panels;
  for (ImGuiWindow* const one : ImGui::GetCurrentContext()->Windows) {
    constexpr ImGuiWindowFlags kNone = ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_Popup |
                                       ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoNavInputs;
    const bool child = (one->Flags & ImGuiWindowFlags_ChildWindow) != 0 && !one->DockIsActive;
    const bool something = (one->DC.NavLayersActiveMask & 1) != 0;
    if (one->WasActive && !child && something && (one->Flags & kNone) == 0) panels.push_back(one);
  }
  std::ranges::stable_sort(panels, [](const ImGuiWindow* a, const ImGuiWindow* b) {
    return a->Pos.x != b->Pos.x ? a->Pos.x < b->Pos.x : a->Pos.y < b->Pos.y;
  });
  return panels;
}

// The panel with the keyboard focus; null: none.
ImGuiWindow* panel_with_ring(const std::vector<ImGuiWindow*>& panels) {
  ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
  while (window != nullptr && std::ranges::find(panels, window) == panels.end())
    window = window->ParentWindow;
  return window;
}

}  // namespace

std::string Workspace::keys_of(const ActionRow& row) const {
  return row.action == Action::start ? (*texts_)("common.space") : std::string(row.keys);
}

std::string Workspace::why_not(Action action) const {
  const auto& t = *texts_;
  switch (action) {
    case Action::start:
      return views::message_words(*texts_, session_->engine_problem());
    case Action::stop:
      return session_->busy() || state_->lessons->running() ? "" : t("command.why.not_running");
    case Action::undo:
      return state_->history.can_undo() ? "" : t("command.why.nothing_to_undo");
    case Action::redo:
      return state_->history.can_redo() ? "" : t("command.why.nothing_to_redo");
    case Action::save:
      return why_not_save();
    case Action::save_prediction:
      return predicted_now() ? "" : t("command.why.nothing_predicted");
    case Action::settings:
      if (!has_form()) return t("command.why.no_form");
      return state_->preferences.projector ? "" : t("command.why.settings_shown");
    default:
      return {};
  }
}

bool Workspace::is_on(Action action) const {
  const Preferences& preferences = state_->preferences;
  switch (action) {
    case Action::live:
      return preferences.live;
    case Action::page_run:
      return state_->page == Page::run;
    case Action::page_sweep:
      return state_->page == Page::sweep;
    case Action::page_hunt:
      return state_->page == Page::hunt;
    case Action::page_compare:
      return state_->page == Page::compare;
    case Action::page_lessons:
      return state_->page == Page::lessons;
    case Action::dark:
      return preferences.theme == views::ThemeKind::dark;
    case Action::light:
      return preferences.theme == views::ThemeKind::light;
    case Action::glossary:
      return show_glossary_;
    case Action::operators:
      return show_operators_;
    case Action::agreement:
      return state_->view.show_agreement;
    case Action::projector:
      return preferences.projector;
    case Action::settings:
      return shows_form(preferences.projector) && has_form();
    default:
      return false;
  }
}

void Workspace::perform(Action action, Requests& requests) {
  Preferences& preferences = state_->preferences;
  switch (action) {
    case Action::start:
      return start();
    case Action::stop:
      return stop();
    case Action::live:
      preferences.live = !preferences.live;
      return;
    case Action::undo:
      return state_->history.undo();
    case Action::redo:
      return state_->history.redo();
    case Action::reset_settings:
      return reset_settings();
    case Action::open:
      ask_for_file_ = true;
      return;
    case Action::save:
      return save(requests);
    case Action::save_prediction:
      requests.save = Requests::Save::prediction;
      return;
    case Action::save_folder:
      show_save_folder_ = true;
      return;
    case Action::picture:
      requests.picture = true;
      return;
    case Action::quit:
      requests.quit = true;
      return;
    case Action::page_run:
      state_->page = Page::run;
      return;
    case Action::page_sweep:
      state_->page = Page::sweep;
      return;
    case Action::page_hunt:
      state_->page = Page::hunt;
      return;
    case Action::page_compare:
      state_->page = Page::compare;
      return;
    case Action::page_lessons:
      state_->page = Page::lessons;
      return;
    case Action::dark:
      preferences.theme = views::ThemeKind::dark;
      return;
    case Action::light:
      preferences.theme = views::ThemeKind::light;
      return;
    case Action::larger:
      return change_scale(1);
    case Action::smaller:
      return change_scale(-1);
    case Action::operators:
      show_operators_ = !show_operators_;
      return;
    case Action::agreement:
      state_->view.show_agreement = !state_->view.show_agreement;
      return;
    case Action::projector:
      preferences.projector = !preferences.projector;
      return;
    case Action::settings:
      if (why_not(action).empty()) show_form_ = !show_form_;
      return;
    case Action::reset_layout:
      return ImGui::DockBuilderRemoveNode(dock_id_);
    case Action::next_panel:
      return focus_panel(1);
    case Action::previous_panel:
      return focus_panel(-1);
    case Action::palette:
      return palette_.open();
    case Action::glossary:
      show_glossary_ = !show_glossary_;
      return;
    case Action::shortcuts:
      show_shortcuts_ = true;
      return;
  }
}

// True if there is a forecast for the current settings.
bool Workspace::predicted_now() const {
  const predict::Outlook* const outlook = session_->predictions().outlook();
  return outlook != nullptr && outlook->target != nullptr &&
         outlook->spec == state_->history.spec();
}

std::string Workspace::why_not_save() const {
  const auto& t = *texts_;
  const auto why = [&](bool can, const char* key) { return can ? std::string() : t(key); };
  switch (state_->page) {
    case Page::run:
      if (session_->files().current() != nullptr) return t("command.why.is_a_file");
      if (session_->busy()) return t("command.why.still_running");
      return why(session_->run() != nullptr || predicted_now(), "command.why.nothing_to_save");
    case Page::sweep:
      return why(!state_->sweeps->own_folder().empty(), "command.why.no_sweep");
    case Page::hunt:
      return why(state_->hunts->progress() != nullptr, "command.why.no_map");
    case Page::compare:
      if (session_->busy()) return t("command.why.still_running");
      return why(session_->comparison() != nullptr, "command.why.no_comparison");
    case Page::lessons: {
      const LessonRunner* const lesson = state_->lessons->shown();
      if (state_->lessons->running()) return t("command.why.still_running");
      return why(lesson != nullptr && lesson->steps_done() > 0, "command.why.no_lesson");
    }
  }
  return {};
}

void Workspace::save(Requests& requests) {
  switch (state_->page) {
    case Page::run:
      requests.save = session_->run() != nullptr ? Requests::Save::run : Requests::Save::prediction;
      return;
    case Page::sweep: {
      views::SweepRequests asked;
      asked.save = true;
      return carry_out(asked, requests);
    }
    case Page::hunt:
      return save_hunt(requests);
    case Page::compare:
      requests.save = Requests::Save::comparison;
      return;
    case Page::lessons:
      return save_lesson(requests);
  }
}

// Escape: leaves the nearest thing that can be left.
void Workspace::stop_or_close() {
  if (show_shortcuts_) {
    show_shortcuts_ = false;
  } else if (show_save_folder_) {
    show_save_folder_ = false;
  } else if (show_glossary_) {
    show_glossary_ = false;
  } else if (state_->view.show_agreement) {
    state_->view.show_agreement = false;
  } else if (show_operators_) {
    show_operators_ = false;
  } else if (show_comparison_) {
    show_comparison_ = false;
  } else {
    stop();
  }
}

// Stops the current work. A sweep stops as a whole: stopping its point alone would lose that point
// and continue with the next.
void Workspace::stop() {
  SweepSession& sweeps = *state_->sweeps;
  if (!sweeps.idle() && !sweeps.runner()->paused()) {
    sweeps.runner()->cancel();
  } else if (state_->lessons->running()) {
    state_->lessons->cancel();
  } else {
    session_->cancel();
  }
}

// The language stays: a user who cannot read the others would be lost.
void Workspace::reset_settings() {
  Preferences& preferences = state_->preferences;
  const Preferences defaults = default_preferences();
  state_->history.set(defaults.spec);
  preferences.theme = defaults.theme;
  preferences.scale = defaults.scale;
  preferences.projector = defaults.projector;
  preferences.live = defaults.live;
  notify((*texts_)("note.settings_reset"));
}

void Workspace::change_scale(int steps) {
  float& scale = state_->preferences.scale;
  const auto next = steps > 0 ? std::ranges::upper_bound(kScales, scale)
                              : std::ranges::lower_bound(kScales, scale);
  if (steps > 0 && next != kScales.end()) scale = *next;
  if (steps < 0 && next != kScales.begin()) scale = *(next - 1);
}

void Workspace::focus_panel(int steps) {
  const std::vector<ImGuiWindow*> panels = panels_in_order();
  if (panels.empty()) return;
  const auto now = std::ranges::find(panels, panel_with_ring(panels));
  const auto count = static_cast<std::ptrdiff_t>(panels.size());
  const std::ptrdiff_t from = now == panels.end() ? (steps > 0 ? -1 : count) : now - panels.begin();
  ImGuiWindow* const next = panels[static_cast<std::size_t>((from + steps + count) % count)];
  ImGui::FocusWindow(next);
  ImGui::NavInitWindow(next, false);
  ImGui::SetNavCursorVisible(true);
}

// A text field in use and an open list take all keys; nothing else receives them.
void Workspace::take_keys(Requests& requests) {
  const bool typing = ImGui::GetIO().WantTextInput;
  for (const ActionRow& row : action_rows()) {
    const bool heard = row.reach == KeyReach::always || (!popup_has_keys_ && !typing) ||
                       (!popup_has_keys_ && row.reach == KeyReach::typing);
    if (!heard || !chord_pressed(row)) continue;
    // A command that writes a file reports the reason; other impossible commands do nothing.
    const std::string reason = row.action == Action::save ? why_not(row.action) : std::string();
    if (row.action == Action::stop) {
      stop_or_close();
    } else if (!reason.empty()) {
      notify(reason);
    } else {
      perform(row.action, requests);
    }
  }
  // Before the first click no panel has the ring, although the window below all may have the keys.
  const bool nowhere =
      ImGui::GetCurrentContext()->NavId == 0 && panel_with_ring(panels_in_order()) == nullptr;
  if (nowhere && !popup_has_keys_ && ImGui::IsKeyPressed(ImGuiKey_Tab, false)) focus_panel(1);
}

// Space belongs to the page, Enter presses the item with the ring: Dear ImGui would let Space do
// both. An owner that is set now is still valid when the next frame begins.
void Workspace::keep_keys() {
  popup_has_keys_ = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if (!popup_has_keys_) ImGui::SetKeyOwner(ImGuiKey_Space, ImHashStr("space starts a run"));
}

}  // namespace ts::app
