#include "app/pages/sweep_page.h"

#include <imgui.h>

#include <optional>
#include <utility>

#include "app/pages/sheet.h"
#include "app/session/catalogue.h"
#include "core/sweep/sweep_table.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "views/common/widgets.h"

namespace ts::app {
namespace {

// The page takes the keyboard when it appears.
constexpr ImGuiWindowFlags kSweepFlags = kFixedFlags & ~ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace

void SweepPage::update() {
  sweeps().update();
  take_opened_point();
}

void SweepPage::start() {
  const sweep::Sweep* const sweep = sweeps().sweep();
  const auto some = [&](sweep::PointStatus status) {
    return sweep != nullptr && sweep->count(status) > 0;
  };
  const bool paused = sweeps().runner() != nullptr && sweeps().runner()->paused();
  if (!sweeps().idle() && !paused) {
    sweeps().runner()->pause();
  } else if (some(sweep::PointStatus::pending) || some(sweep::PointStatus::cancelled) ||
             !sweeps().idle()) {
    notices().add_error(sweeps().resume(session()));
  } else {
    begin(views::SweepAsk::start);
  }
}

void SweepPage::begin(views::SweepAsk ask) {
  const auto& spec = offered_.of(state().sweep_edit, settings(), built_in_sweeps());
  if (!spec) return;
  if (ask == views::SweepAsk::start) {
    session().show(nullptr);
    sweeps().start(session(), *spec);
  } else {
    notices().add_error(sweeps().widen(session(), *spec));
  }
}

// The settings become those of the chosen exercise, as with a preset of a workload.
void SweepPage::take_exercise() {
  const sweep::SweepPreset* const preset = built_in_sweeps().find(state().sweep_edit.preset);
  if (preset == nullptr) return;
  if (const auto taken = sweep::exercise_settings(*preset, settings())) state().history.set(*taken);
}

void SweepPage::open(const std::filesystem::path& folder) {
  if (auto loaded = sweeps().load(session(), folder); !loaded) {
    notices().add(loaded.error());
    return;
  }
  const sweep::SweepSpec& spec = sweeps().sweep()->spec();
  runs().open_settings(spec.base);
  state().sweep_edit = views::edit_of(spec, built_in_sweeps());
  state().page = Page::sweep;
}

void SweepPage::open_point(std::size_t point) {
  sweeps().open(session(), point);
  if (sweeps().opening()) notices().add(text::message("note.sweep_opening"));
  take_opened_point();
}

// Shows its run on the page of runs, with its settings. A recording takes some frames to read.
void SweepPage::take_opened_point() {
  auto opened = sweeps().take_opened();
  if (!opened) return;
  if (!opened->run) {
    notices().add(opened->run.error());
    return;
  }
  runs().open_settings(sweeps().sweep()->points()[opened->point].spec);
  session().show(std::move(*opened->run));
  session().files().choose(std::nullopt);
  state().page = Page::run;
  notices().clear();
}

void SweepPage::compare_points(std::size_t a, std::size_t b) {
  auto comparison = sweeps().compare(a, b);
  if (!comparison) {
    notices().add(comparison.error());
    return;
  }
  const sweep::Sweep& sweep = *sweeps().sweep();
  comparison_ = {std::move(*comparison), point_text(sweep, sweep.points()[a]),
                 point_text(sweep, sweep.points()[b]), comparison_.list};
  show_comparison_ = true;
}

void SweepPage::draw_comparison(const views::Ui& ui) {
  const std::string copied = views::draw_comparison(ui, comparison_);
  if (copied.empty()) return;
  ImGui::SetClipboardText(copied.c_str());
  notices().add(text::message("note.sweep_copied"));
}

void SweepPage::draw_sheets(const views::Ui& ui) {
  draw_sheet(ui, "sweep.compare.title", "###comparison_sheet", show_comparison_,
             [&] { draw_comparison(ui); });
}

bool SweepPage::close_sheet() {
  return std::exchange(show_comparison_, false);
}

void SweepPage::save(Requests& requests) {
  views::SweepRequests asked;
  asked.save = true;
  carry_out(asked, requests);
}

std::string SweepPage::why_not_save() const {
  return unless(!sweeps().own_folder().empty(), "command.why.no_sweep");
}

void SweepPage::carry_out(const views::SweepRequests& asked, Requests& requests) {
  if (SweepRunner* runner = sweeps().runner()) {
    if (asked.pause) runner->pause();
    if (asked.resume) notices().add_error(sweeps().resume(session()));
    if (asked.rerun) notices().add_error(sweeps().rerun(session(), *asked.rerun));
    if (asked.cancel) runner->cancel();
  }
  if (asked.open) open_point(*asked.open);
  if (asked.compare) compare_points(asked.compare->first, asked.compare->second);
  const std::string copied =
      asked.copy ? io::to_markdown(sweep::homework_table(*sweeps().sweep())) : asked.clipboard;
  if (!copied.empty()) {
    ImGui::SetClipboardText(copied.c_str());
    notices().add(text::message(asked.copy ? "note.sweep_copied" : "note.chart_copied"));
  }
  if (!asked.save && !asked.save_chart) return;
  const auto saved = sweeps().save(session(), state().preferences.save_parts);
  if (!saved) {
    notices().add(saved.error());
    return;
  }
  requests.figure = {asked.save_chart, *saved};
  notices().saved(*saved);
}

views::SweepPage SweepPage::shown() {
  views::SweepPage page;
  page.sweep = sweeps().sweep();
  page.idle = sweeps().idle();
  page.paused = sweeps().runner() != nullptr && sweeps().runner()->paused();
  page.predicting = sweeps().runner() != nullptr && sweeps().runner()->predicting();
  page.problem = sweeps().problem();
  page.settings_key = frame().settings_keys();
  if (sweeps().sweep() != nullptr) {
    const auto& offered = offered_.of(state().sweep_edit, settings(), built_in_sweeps());
    page.stale = views::stale_sweep(sweeps().sweep()->spec(), offered ? &*offered : nullptr,
                                    settings(), texts());
  }
  page.references = built_in_references();
  page.analysis = &sweeps().analysis();
  if (const run::Run* run = session().current(); run != nullptr && !run->finished) {
    page.now = text::decimal(100.0 * static_cast<double>(run->fraction), 0) + " %";
  }
  return page;
}

void SweepPage::draw(const views::Ui& ui, Requests& requests) {
  PageArea area = frame().begin(ui);
  const auto head = [&] {
    const views::SweepAsk ask =
        views::draw_sweep_controls(ui, state().sweep_edit, offered_, state().history.checked(),
                                   built_in_sweeps(), sweeps().sweep(), !sweeps().idle());
    if (ask == views::SweepAsk::exercise) {
      take_exercise();
    } else if (ask != views::SweepAsk::nothing) {
      begin(ask);
    }
  };
  frame().draw_form(ui, area, "###sweep_controls", head, kSweepFlags);
  // The controls show the prediction of the current settings.
  contexts().ask_for_prediction();
  draw_window(ui, {.id = "###sweep_page", .flags = kSweepFlags | kUnmovingFlags}, area, [&] {
    carry_out(views::draw_sweep_page(ui, shown(), state().sweep_page), requests);
  });
}

}  // namespace ts::app
