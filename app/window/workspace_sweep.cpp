// The page of the sweep.
#include <imgui.h>

#include <algorithm>
#include <optional>

#include "app/session/catalogue.h"
#include "app/window/page_windows.h"
#include "app/window/workspace.h"
#include "core/sweep/sweep_table.h"
#include "core/text/numbers.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/sweep/sweep_view.h"

namespace ts::app {
namespace {

// The page takes the keyboard when it appears.
constexpr ImGuiWindowFlags kSweepFlags = kFixedFlags & ~ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace

void Workspace::tell(const base::Result<void>& result) {
  if (!result) notify(result.error());
}

// Pauses a running sweep and resumes one that does not run; if nothing is left to do, starts the
// one that the page offers.
void Workspace::start_or_pause_sweep() {
  SweepSession& sweeps = *state_->sweeps;
  const sweep::Sweep* const sweep = sweeps.sweep();
  const auto some = [&](sweep::PointStatus status) {
    return sweep != nullptr && sweep->count(status) > 0;
  };
  const bool paused = sweeps.runner() != nullptr && sweeps.runner()->paused();
  if (!sweeps.idle() && !paused) {
    sweeps.runner()->pause();
  } else if (some(sweep::PointStatus::pending) || some(sweep::PointStatus::cancelled) ||
             !sweeps.idle()) {
    tell(sweeps.resume(*session_));
  } else {
    begin_sweep(views::SweepAsk::start);
  }
}

void Workspace::begin_sweep(views::SweepAsk ask) {
  auto spec = views::sweep_of(state_->sweep_edit, state_->history.spec(), built_in_sweeps());
  if (!spec) return;
  if (ask == views::SweepAsk::start) {
    session_->show(nullptr);
    state_->sweeps->start(*session_, std::move(*spec));
  } else {
    tell(state_->sweeps->widen(*session_, *spec));
  }
}

void Workspace::open_sweep(const std::filesystem::path& path) {
  SweepSession& sweeps = *state_->sweeps;
  if (auto loaded = sweeps.load(*session_, path); !loaded) {
    notify(loaded.error());
    return;
  }
  state_->history.set(sweeps.sweep()->spec().base);
  run_spec_ = seen_spec_ = state_->history.spec();  // else Live starts a run
  state_->page = Page::sweep;
}

void Workspace::open_point(std::size_t point) {
  SweepSession& sweeps = *state_->sweeps;
  sweeps.open(*session_, point);
  if (sweeps.opening()) notify((*texts_)("note.sweep_opening"));
  take_opened_point();
}

// Shows the point's run on the run page, with its settings; a recording is ready some frames later.
void Workspace::take_opened_point() {
  SweepSession& sweeps = *state_->sweeps;
  auto opened = sweeps.take_opened();
  if (!opened) return;
  if (!opened->run) {
    notify(opened->run.error());
    return;
  }
  state_->history.set(sweeps.sweep()->points()[opened->point].spec);
  // Live would treat the changed settings as a request to run.
  run_spec_ = seen_spec_ = state_->history.spec();
  session_->show(std::move(*opened->run));
  session_->files().choose(std::nullopt);
  state_->page = Page::run;
  note_.clear();
}

void Workspace::compare_points(std::size_t a, std::size_t b) {
  const SweepSession& sweeps = *state_->sweeps;
  auto comparison = sweeps.compare(a, b);
  if (!comparison) {
    notify(comparison.error());
    return;
  }
  comparison_ = {std::move(*comparison), views::place_words(*sweeps.sweep(), a),
                 views::place_words(*sweeps.sweep(), b), comparison_.list};
  show_comparison_ = true;
}

void Workspace::draw_comparison(const views::Ui& ui) {
  const std::string copied = views::draw_comparison(ui, comparison_);
  if (copied.empty()) return;
  ImGui::SetClipboardText(copied.c_str());
  notify((*texts_)("note.sweep_copied"));
}

void Workspace::carry_out(const views::SweepRequests& asked, Requests& requests) {
  SweepSession& sweeps = *state_->sweeps;
  if (SweepRunner* runner = sweeps.runner()) {
    if (asked.pause) runner->pause();
    if (asked.resume) tell(sweeps.resume(*session_));
    if (asked.rerun) tell(sweeps.rerun(*session_, *asked.rerun));
    if (asked.cancel) runner->cancel();
  }
  if (asked.open) open_point(*asked.open);
  if (asked.compare) compare_points(asked.compare->first, asked.compare->second);
  const std::string copied =
      asked.copy ? io::to_markdown(sweep::homework_table(*sweeps.sweep())) : asked.clipboard;
  if (!copied.empty()) {
    ImGui::SetClipboardText(copied.c_str());
    notify((*texts_)(asked.copy ? "note.sweep_copied" : "note.chart_copied"));
  }
  if (!asked.save && !asked.save_chart) return;
  const auto saved = sweeps.save(*session_);
  if (!saved) {
    notify(saved.error());
    return;
  }
  requests.figure = {asked.save_chart, *saved};
  this->saved(*saved);
}

void Workspace::draw_sweep(const views::Ui& ui, bool projector, Requests& requests) {
  const auto [origin, size] = page_area(ui, projector);
  SweepSession& sweeps = *state_->sweeps;
  const bool form = shows_form(projector);
  const float left = form ? controls_width(ui, size.x) : 0;
  if (form) {
    form_panel(ui, "###sweep_controls", origin, {left, size.y}, kSweepFlags, [&] {
      const spec::WorkloadSpec& base = state_->history.spec();
      const views::SweepAsk ask = views::draw_sweep_controls(
          ui, state_->sweep_edit, base, built_in_sweeps(), sweeps.sweep(), !sweeps.idle());
      if (ask != views::SweepAsk::nothing) begin_sweep(ask);
      views::divider(ui);
      views::draw_controls(controls(ui));
    });
  }
  // The controls describe the current settings.
  ask_for_prediction();
  ImGui::SetNextWindowPos({origin.x + left, origin.y});
  ImGui::SetNextWindowSize({size.x - left, size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool open = ImGui::Begin("###sweep_page", nullptr, kSweepFlags | kUnmovingFlags);
  ImGui::PopStyleVar();
  if (open) {
    if (form) views::left_edge(ui);
    views::SweepPage page;
    page.sweep = sweeps.sweep();
    page.idle = sweeps.idle();
    page.paused = sweeps.runner() != nullptr && sweeps.runner()->paused();
    page.predicting = sweeps.runner() != nullptr && sweeps.runner()->predicting();
    page.problem = sweeps.problem();
    page.settings_key = form ? "" : action_row(Action::settings).keys;
    if (sweeps.sweep() != nullptr) {
      const spec::WorkloadSpec& now = state_->history.spec();
      std::optional<sweep::SweepSpec> offered;
      if (auto made = views::sweep_of(state_->sweep_edit, now, built_in_sweeps()))
        offered = std::move(*made);
      page.stale = views::stale_sweep(sweeps.sweep()->spec(), offered, now, *texts_);
    }
    page.references = built_in_references();
    page.analysis = &sweeps.analysis();
    if (const run::Run* run = session_->current(); run != nullptr && !run->finished) {
      page.now = text::decimal(100.0 * static_cast<double>(run->fraction), 0) + " %";
    }
    carry_out(views::draw_sweep_page(ui, page, state_->sweep_page), requests);
  }
  ImGui::End();
}

}  // namespace ts::app
