#include "app/window/window_actions.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/session/catalogue.h"
#include "core/base/clock.h"
#include "core/script/pytorch_script.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

// The panels that can have the focus ring, from left to right and from top to bottom.
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

// The panel with the focus ring; null: none of them.
ImGuiWindow* panel_with_ring(const std::vector<ImGuiWindow*>& panels) {
  ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
  while (window != nullptr && std::ranges::find(panels, window) == panels.end())
    window = window->ParentWindow;
  return window;
}

// The panel after the one with the focus ring, or before it; null: there is none.
ImGuiWindow* panel_beside(int steps) {
  const std::vector<ImGuiWindow*> panels = panels_in_order();
  if (panels.empty()) return nullptr;
  const auto now = std::ranges::find(panels, panel_with_ring(panels));
  const auto count = static_cast<std::ptrdiff_t>(panels.size());
  const std::ptrdiff_t from = now == panels.end() ? (steps > 0 ? -1 : count) : now - panels.begin();
  return panels[static_cast<std::size_t>((from + steps + count) % count)];
}

// Moves the focus ring to the next panel, or back: to the widget that had it there last.
void focus_panel(int steps) {
  ImGuiWindow* const next = panel_beside(steps);
  if (next == nullptr) return;
  ImGui::FocusWindow(next);
  ImGui::NavInitWindow(next, false);
  ImGui::SetNavCursorVisible(true);
}

// 1 if Tab was pressed at the last widget of a panel, -1 if Shift+Tab at the first, else 0. At the
// end of a frame, when Dear ImGui has met all widgets of the panel and would go round in it.
int tab_leads_out() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool tabbing = g.NavMoveScoringItems && (g.NavMoveFlags & ImGuiNavMoveFlags_IsTabbing) != 0;
  if (!tabbing || g.NavId == 0 || panel_with_ring(panels_in_order()) == nullptr) return 0;
  if (g.NavTabbingDir > 0) return g.NavTabbingCounter == 1 ? 1 : 0;
  return g.NavTabbingDir;
}

// Moves the focus ring to the first widget of the next panel, or to the last one of the panel
// before. At the beginning of a frame: its widgets answer the request.
void tab_into_panel(int steps) {
  ImGuiWindow* const next = panel_beside(steps);
  if (next == nullptr) return;
  ImGui::FocusWindow(next);
  ImGui::SetNavID(0, ImGuiNavLayer_Main, next->NavRootFocusScopeId, ImRect());
  ImGui::NavMoveRequestSubmit(ImGuiDir_None, steps > 0 ? ImGuiDir_Down : ImGuiDir_Up,
                              ImGuiNavMoveFlags_IsTabbing, ImGuiScrollFlags_KeepVisibleEdgeY);
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavTabbingDir = steps > 0 ? 0 : -1;  // 0: the first widget
  g.NavTabbingCounter = -1;
  ImGui::SetNavCursorVisible(true);
}

// The digits as they stand on a keyboard: 1 to 9, then 0.
std::size_t digit_of(std::size_t demo) {
  return (demo + 1) % lessons::kMostDemos;
}
ImGuiKey digit_key(std::size_t demo) {
  return static_cast<ImGuiKey>(static_cast<std::size_t>(ImGuiKey_0) + digit_of(demo));
}

}  // namespace

std::string WindowActions::keys_of_demo(std::size_t demo) {
  return "Alt+" + std::to_string(digit_of(demo));
}

std::string WindowActions::keys_of(const ActionRow& row) const {
  return row.action == Action::start ? services_.texts("common.space") : std::string(row.keys);
}

std::string WindowActions::why_not(Action action) const {
  const auto& t = services_.texts;
  switch (action) {
    case Action::start:
      return views::message_text(services_.texts, services_.session.engine_problem());
    case Action::stop:
      return services_.session.busy() || services_.state.lessons->running()
                 ? ""
                 : t("command.why.not_running");
    case Action::undo:
      return can_undo() ? "" : t("command.why.nothing_to_undo");
    case Action::redo:
      return can_redo() ? "" : t("command.why.nothing_to_redo");
    case Action::save:
      return pages_->current().why_not_save();
    case Action::save_page: {
      const OpenedFiles::Entry* const file = shown_file();
      return file != nullptr && !file->loading() && !file->grows() ? "" : t("command.why.no_page");
    }
    case Action::save_prediction:
      return services_.contexts.predicted() ? "" : t("command.why.nothing_predicted");
    case Action::copy_script: {
      const auto script = script::pytorch_script(services_.state.history.spec());
      return script ? std::string() : views::message_text(services_.texts, script.error());
    }
    case Action::compare_with:
      return shown_file() != nullptr ? "" : t("command.why.no_snapshot");
    case Action::note:
      return services_.state.page == Page::run ? pages_->run.why_no_note()
                                               : t("command.why.no_note");
    case Action::trace_difference: {
      const OpenedFiles::Entry* const file = shown_file();
      const bool trace = file != nullptr && file->opened->trace_shown(file->device) != nullptr;
      return trace ? "" : t("command.why.no_trace");
    }
    case Action::clear_recent:
      return services_.state.preferences.recent_files.empty() ? t("command.why.no_recent") : "";
    case Action::demo_next:
    case Action::demo_back:
      return presenter_->demo() ? "" : t("command.why.no_demo");
    case Action::enlarge:
      return pages_->current().why_not_enlarge();
    case Action::settings:
      if (!pages_->current().has_form()) return t("command.why.no_form");
      return services_.state.preferences.projector ? "" : t("command.why.settings_shown");
    default:
      return {};
  }
}

// The file on screen, if it could be read; null: none is.
const OpenedFiles::Entry* WindowActions::shown_file() const {
  const OpenedFiles::Entry* const file = services_.session.files().current();
  const bool shown = file != nullptr && file->opened != nullptr;
  return shown && services_.state.page == Page::run ? file : nullptr;
}

// A file has corrections in place of settings.
bool WindowActions::shows_file() const {
  return services_.state.page == Page::run && services_.session.files().current() != nullptr;
}

// While the sheet of notes is open, they are what is undone.
files::Notes* WindowActions::open_notes() const {
  return pages_->run.shows_notes() ? pages_->run.notes() : nullptr;
}

bool WindowActions::can_undo() const {
  if (const files::Notes* const notes = open_notes()) return notes->can_undo();
  return shows_file() ? services_.session.files().can_undo() : services_.state.history.can_undo();
}

bool WindowActions::can_redo() const {
  if (const files::Notes* const notes = open_notes()) return notes->can_redo();
  return shows_file() ? services_.session.files().can_redo() : services_.state.history.can_redo();
}

// The bool that an action switches on and off; null: it does something else.
bool* WindowActions::switch_of(Action action) const {
  Preferences& preferences = services_.state.preferences;
  const std::pair<Action, bool*> switches[] = {
      {Action::live, &preferences.live},
      {Action::check_values, &preferences.check_values},
      {Action::projector, &preferences.projector},
      {Action::operators, &pages_->run.shows_operators()},
      {Action::notes, &pages_->run.shows_notes()},
      {Action::trace_difference, &pages_->run.shows_trace_difference()},
      {Action::agreement, &services_.state.view.show_agreement},
      {Action::blank, &presenter_->blank},
      {Action::hold, &presenter_->hold},
      {Action::glossary, &sheets_->show_glossary},
      {Action::calculators, &sheets_->show_calculators},
      {Action::simulations, &sheets_->show_simulations},
      {Action::steppers, &sheets_->show_steppers},
      {Action::advisor, &sheets_->show_advisor},
      {Action::cluster, &sheets_->show_cluster},
      {Action::loader, &sheets_->show_loader},
      {Action::ranks, &sheets_->show_ranks},
      {Action::trees, &sheets_->show_trees},
      {Action::kernels, &sheets_->show_kernels},
  };
  const auto* const found = std::ranges::find(switches, action, &std::pair<Action, bool*>::first);
  return found == std::end(switches) ? nullptr : found->second;
}

bool WindowActions::is_on(Action action) const {
  if (const auto page = page_of(action)) return services_.state.page == *page;
  if (const bool* const on = switch_of(action)) return *on;
  switch (action) {
    case Action::dark:
      return services_.state.preferences.theme == views::ThemeKind::dark;
    case Action::light:
      return services_.state.preferences.theme == views::ThemeKind::light;
    case Action::settings:
      return services_.frame.shows_form() && pages_->current().has_form();
    case Action::enlarge:
      return pages_->current().enlarged();
    default:
      return false;
  }
}

const std::vector<ListedFile>& WindowActions::recent_files() {
  return recent_.look(services_.state.preferences.recent_files, base::now_ns());
}

void WindowActions::open_recent(const std::filesystem::path& path) {
  sheets_->choose_file(path);
}

void WindowActions::show_run(const std::shared_ptr<run::Run>& run) {
  services_.session.show(run);
  services_.session.files().choose(std::nullopt);
  services_.state.page = Page::run;
}

void WindowActions::copy_script() {
  const auto script = script::pytorch_script(services_.state.history.spec());
  if (!script) return services_.notices.add(script.error());
  ImGui::SetClipboardText(script->c_str());
  services_.notices.add(services_.texts("script.copied"));
}

void WindowActions::perform(Action action, Requests& requests) {
  Preferences& preferences = services_.state.preferences;
  if (const auto page = page_of(action)) {
    services_.state.page = *page;
    return;
  }
  if (bool* const on = switch_of(action)) {
    *on = !*on;
    return;
  }
  switch (action) {
    case Action::start:
      return pages_->current().start();
    case Action::stop:
      return stop();
    case Action::undo:
      if (files::Notes* const notes = open_notes()) return notes->undo();
      return shows_file() ? pages_->run.undo_correction() : services_.state.history.undo();
    case Action::redo:
      if (files::Notes* const notes = open_notes()) return notes->redo();
      return shows_file() ? pages_->run.redo_correction() : services_.state.history.redo();
    case Action::reset_settings:
      return reset_settings();
    case Action::open:
      sheets_->open_file(OpenFor::show);
      return;
    case Action::compare_with:
      sheets_->open_file(OpenFor::compare);
      return;
    case Action::clear_recent:
      preferences.recent_files.clear();
      return;
    case Action::save:
      return pages_->current().save(requests);
    case Action::save_session:
      requests.save_session = true;
      return;
    case Action::save_page:
      requests.save_page = true;
      return;
    case Action::save_prediction:
      requests.save = Requests::Save::prediction;
      return;
    case Action::copy_script:
      return copy_script();
    case Action::save_folder:
      sheets_->show_save_folder = true;
      return;
    case Action::picture:
      requests.picture = true;
      return;
    case Action::quit:
      requests.quit = true;
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
    case Action::note:
      return pages_->run.write_note();
    case Action::settings:
      if (why_not(action).empty()) services_.frame.toggle_form();
      return;
    case Action::demo_next:
      return presenter_->next();
    case Action::demo_back:
      return presenter_->back();
    case Action::enlarge:
      return pages_->current().enlarge();
    case Action::reset_layout:
      return pages_->run.reset_layout();
    case Action::next_panel:
      return focus_panel(1);
    case Action::previous_panel:
      return focus_panel(-1);
    case Action::palette:
      return palette_->open();
    case Action::shortcuts:
      sheets_->show_shortcuts = true;
      return;
    default:
      return;
  }
}

// Escape: closes the nearest sheet, else stops; leaves the demo if there is nothing to stop.
void WindowActions::stop_or_close() {
  if (sheets_->close()) return;
  for (PageView* const page : pages_->all()) {
    if (page->close_sheet()) return;
  }
  if (why_not(Action::stop).empty() || !presenter_->demo()) {
    stop();
  } else {
    presenter_->leave();
  }
}

// Stops the current job. A sweep is stopped as a whole: cancelling only its point would lose that
// point and continue with the next.
void WindowActions::stop() {
  SweepSession& sweeps = *services_.state.sweeps;
  if (!sweeps.idle() && !sweeps.runner()->paused()) {
    sweeps.runner()->cancel();
  } else if (services_.state.lessons->running()) {
    services_.state.lessons->cancel();
  } else {
    services_.session.cancel();
  }
}

// The language stays: the user may not be able to read the default one.
void WindowActions::reset_settings() {
  Preferences& preferences = services_.state.preferences;
  const Preferences defaults = default_preferences();
  services_.state.history.set(defaults.spec);
  preferences.theme = defaults.theme;
  preferences.scale = defaults.scale;
  preferences.projector = defaults.projector;
  preferences.live = defaults.live;
  preferences.check_values = defaults.check_values;
  services_.notices.add(services_.texts("note.settings_reset"));
}

void WindowActions::change_scale(int steps) {
  float& scale = services_.state.preferences.scale;
  const auto next = steps > 0 ? std::ranges::upper_bound(kScales, scale)
                              : std::ranges::lower_bound(kScales, scale);
  if (steps > 0 && next != kScales.end()) scale = *next;
  if (steps < 0 && next != kScales.begin()) scale = *(next - 1);
}

void WindowActions::take_keys(Requests& requests) {
  const bool typing = ImGui::GetIO().WantTextInput;
  for (const ActionRow& row : action_rows()) {
    const bool reaches = row.reach == KeyReach::always || (!popup_has_keys_ && !typing) ||
                         (!popup_has_keys_ && row.reach == KeyReach::typing);
    if (!reaches || !chord_pressed(row)) continue;
    if (row.action == Action::start && sheets_->has_space()) continue;
    if (row.action == Action::stop) {
      stop_or_close();
    } else if (const std::string reason = why_not(row.action); !reason.empty()) {
      services_.notices.add(reason);
    } else {
      perform(row.action, requests);
    }
  }
  constexpr int kAlt = ImGuiMod_Alt;
  for (std::size_t i = 0; i < built_in_demos().size() && !popup_has_keys_; ++i) {
    if (ImGui::IsKeyChordPressed(kAlt | digit_key(i))) presenter_->show(i);
  }
  if (const int steps = std::exchange(tab_steps_, 0); steps != 0) tab_into_panel(steps);
  // Before the first click no panel has the ring; the main window may have the keyboard.
  const bool nowhere =
      ImGui::GetCurrentContext()->NavId == 0 && panel_with_ring(panels_in_order()) == nullptr;
  if (nowhere && !popup_has_keys_ && ImGui::IsKeyPressed(ImGuiKey_Tab, false)) focus_panel(1);
}

// Dear ImGui would let Space press the focused widget as well. An owner that is set now is still
// set when the next frame begins.
void WindowActions::keep_keys() {
  popup_has_keys_ = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if (popup_has_keys_) return;
  ImGui::SetKeyOwner(ImGuiKey_Space, ImHashStr("space starts a run"));
  tab_steps_ = tab_leads_out();
  if (tab_steps_ != 0) ImGui::NavMoveRequestCancel();
}

}  // namespace ts::app
