#include "app/pages/view_contexts.h"

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/files/file_label.h"
#include "core/files/opened_file.h"
#include "core/files/step_range.h"
#include "core/spec/typed_card.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

// After the frame began: what is drawn with the prediction has the rest of 16.6 ms.
constexpr std::chrono::milliseconds kPredictedBy{10};

}  // namespace

// Positions in an old trace mean nothing in a new one; what was on screen before is shown as it was
// left.
void ViewContexts::reset_view_state(const run::Run& run) {
  if (run.id == state_->viewed) return;
  if (state_->viewed != 0) state_->keep_view(state_->viewed, {state_->view, false});
  state_->viewed = run.id;
  views::ViewState fresh;
  fresh.of = run.id;
  if (const auto kept = state_->kept_views.find(run.id); kept != state_->kept_views.end()) {
    const views::ViewState& left = kept->second.view;
    fresh.visible = left.visible;
    fresh.cursor_ns = left.cursor_ns;
    fresh.marked = left.marked;
    fresh.selected_slice = left.selected_slice;
    fresh.selected_block = left.selected_block;
    if (kept->second.whole) {
      state_->view = left;
      state_->view.of = run.id;
      return;
    }
  }
  fresh.memory_axis = state_->view.memory_axis;
  fresh.live_axis = state_->view.live_axis;
  fresh.link_axes = state_->view.link_axes;
  fresh.block_colors = state_->view.block_colors;
  fresh.detail = state_->view.detail;
  fresh.search = state_->view.search;
  fresh.picks = state_->view.picks;
  fresh.show_agreement = state_->view.show_agreement;
  state_->view = fresh;
}

void ViewContexts::reset_view_state_of_run(const run::Run& run) {
  if (run.id == state_->viewed) return;
  reset_view_state(run);
  if (!state_->color_of_runs) return;
  state_->view.block_colors = *state_->color_of_runs;
  state_->color_of_runs.reset();
}

// `device` is null for a trace, which has no stacks. Where categories are not known, colours by
// category would all be the same.
void ViewContexts::reset_view_state_of_file(const run::Run& run,
                                            const files::OpenedDevice* device) {
  if (run.id == state_->viewed) return;
  const auto kept = state_->kept_views.find(run.id);
  const bool known_view = kept != state_->kept_views.end();
  const bool whole = known_view && kept->second.whole;
  views::BlockColors& colors = state_->view.block_colors;
  if (!state_->color_of_runs) state_->color_of_runs = colors;
  reset_view_state(run);
  if (whole) return;
  if (device == nullptr && !known_view) state_->view.visible = files::step_range(run);
  if (files::knows_categories(run, device)) {
    colors = views::BlockColors::category;
  } else {
    colors = device != nullptr ? views::BlockColors::stack : views::BlockColors::allocation;
  }
}

// All devices of all open files but this one.
void ViewContexts::list_others(const OpenedFiles::Entry& shown, const files::OpenedDevice* device) {
  others_.clear();
  if (device == nullptr) return;
  for (const OpenedFiles::Entry& entry : session_->files().entries()) {
    views::OtherRecording other{.path = entry.path.string(),
                                .name = files::file_label(entry.path, shown.path),
                                .owner = entry.opened};
    if (entry.loading()) {
      other.reason = (*texts_)("file.reading", {{"name", other.name}});
    } else if (entry.opened == nullptr) {
      other.reason = views::message_text(*texts_, entry.problem);
    } else if (entry.opened->trace != nullptr) {
      other.reason = (*texts_)("file.difference.is_trace");
    }
    if (!other.reason.empty()) {
      others_.push_back(std::move(other));
      continue;
    }
    other.file = entry.opened.get();
    for (const files::OpenedDevice& one : entry.opened->devices) {
      if (&one == device) continue;
      views::OtherRecording& added = others_.emplace_back(other);
      added.device = &one;
      if (entry.opened->devices.size() > 1) {
        added.name +=
            ", " + (*texts_)("file.device_number", {{"number", std::to_string(one.number)}});
      }
    }
  }
}

void ViewContexts::list_other_traces(const OpenedFiles::Entry& shown) {
  others_.clear();
  for (const OpenedFiles::Entry& entry : session_->files().entries()) {
    if (entry.id == shown.id) continue;
    views::OtherRecording& other = others_.emplace_back(
        views::OtherRecording{.path = entry.path.string(),
                              .name = files::file_label(entry.path, shown.path),
                              .owner = entry.opened});
    if (entry.loading()) {
      other.reason = (*texts_)("file.reading", {{"name", other.name}});
    } else if (entry.opened == nullptr) {
      other.reason = views::message_text(*texts_, entry.problem);
    } else if (entry.grows() || shown.grows()) {
      other.reason =
          (*texts_)("live.grows", {{"name", entry.grows() ? other.name : shown.path.string()}});
    } else if (entry.opened->trace == nullptr) {
      other.reason = (*texts_)("trace_difference.is_snapshot");
    } else {
      other.trace = entry.opened->trace.get();
    }
  }
}

// The newest step is shown until the user looks elsewhere; a range that reaches the end stays
// there.
void ViewContexts::follow_newest_step(const files::LiveFile& live) {
  const base::TimeRange newest = live.newest_step();
  if (newest.empty()) return;
  const auto [at, first] = followed_.try_emplace(live.opened()->trace->run.id, newest);
  const base::TimeRange before = std::exchange(at->second, newest);
  base::TimeRange& visible = state_->view.visible;
  if (first || visible == before) {
    visible = newest;
  } else if (!visible.empty() && visible.end >= before.end) {
    visible = {newest.end - visible.length(), newest.end};
  }
}

views::ViewContext ViewContexts::view_of_file(const views::Ui& ui,
                                              const OpenedFiles::Entry& entry) {
  const files::OpenedFile* opened = entry.opened.get();
  const files::OpenedTrace* trace = opened != nullptr ? opened->trace_shown(entry.device) : nullptr;
  const files::OpenedFile* file = trace == nullptr ? opened : nullptr;
  const files::OpenedDevice* device = file != nullptr ? &file->devices[entry.device] : nullptr;
  const run::Run* run = trace != nullptr ? &trace->run : device != nullptr ? &device->run : nullptr;
  if (run != nullptr) reset_view_state_of_file(*run, device);
  if (entry.live != nullptr && !entry.live->complete()) follow_newest_step(*entry.live);
  // The file does not tell the capacity of the card that it was recorded on.
  views::ViewContext view{
      .run = run,
      .strings = opened != nullptr ? opened->strings(entry.device) : session_->strings(),
      .texts = *texts_,
      .theme = ui.theme,
      .metrics = ui.metrics,
      .state = state_->view,
      .now_ns = base::now_ns(),
      .faces = faces_};
  view.file = file;
  view.file_device = device;
  view.trace = trace;
  view.picture = picture_;
  view.replayed = session_->files().replayed();
  if (const auto& question = state_->view.reserved_question)
    session_->files().explain(question->position);
  view.reserved = session_->files().explained();
  view.reserved_is_current = !session_->files().explaining();
  trace != nullptr ? list_other_traces(entry) : list_others(entry, device);
  view.others = others_;
  view.memory.kind = views::MemorySource::Kind::opened;
  if (run != nullptr) {
    view.memory.log = &run->memory;
    view.memory.id = run->id;
    view.memory.growing = entry.grows();
    if (!entry.grows()) view.memory.owner = entry.opened;
    if (device != nullptr) {
      view.memory.stacks = device->stacks;
      view.memory.event_numbers = device->event_entries;
      view.memory.blocks_before = device->blocks_before;
      view.memory.guessed_share = device->guessed_share;
      view.memory.corrected = &device->corrected;
    }
  }
  return view;
}

views::ViewContext ViewContexts::view(const views::Ui& ui) {
  // The other pages are about the settings, whatever is open.
  const bool of_file = state_->page == Page::run || is_panel(state_->page);
  if (const OpenedFiles::Entry* const entry = session_->files().current(); of_file && entry) {
    return view_of_file(ui, *entry);
  }
  const spec::WorkloadSpec& now = state_->history.spec();
  const spec::Gpu* gpu = session_->gpus().find(now.target_gpu);
  const run::Run* run = session_->run();
  if (run != nullptr) reset_view_state_of_run(*run);
  // A typed limit has priority over the card's memory.
  const std::int64_t typed = now.memory_limit;
  const std::int64_t capacity = typed > 0 ? typed : gpu != nullptr ? gpu->memory_bytes : 0;
  std::string name = typed > 0        ? std::string((*texts_)("bar.limit"))
                     : gpu != nullptr ? spec::card_label(*gpu)
                                      : std::string();
  views::ViewContext view{.run = run,
                          .strings = session_->strings(),
                          .texts = *texts_,
                          .theme = ui.theme,
                          .metrics = ui.metrics,
                          .state = state_->view,
                          .now_ns = base::now_ns(),
                          .target_bytes = capacity,
                          .target_name = std::move(name),
                          .faces = faces_};
  view.live = state_->preferences.live;
  view.picture = picture_;
  if (run != nullptr && run->finished) view.memory.owner = session_->share_shown();
  if (run != nullptr) {
    note_figures(*run);
    view.stale = views::difference_text(*texts_, run->spec, now);
  }
  const run::Run* const newest = session_->current();
  if (run != nullptr && newest != nullptr && newest != run && newest->id == state_->own_run &&
      newest->finished && same_work(newest->spec, run->spec))
    view.cut_short = newest;
  if (run != nullptr && state_->earlier.id != 0 &&
      state_->earlier.spec.workload == run->spec.workload) {
    view.earlier = &state_->earlier;
    view.stale_earlier = views::difference_text(*texts_, state_->earlier.spec, now);
  }
  choose_memory(view);
  return view;
}

views::ControlsContext ViewContexts::controls(const views::Ui& ui) {
  return {.ui = ui,
          .history = state_->history,
          .gpus = session_->gpus(),
          .engine = session_->engine(),
          .run = session_->run(),
          .outlook = session_->predictions().outlook(),
          .targets = &state_->preferences.targets};
}

void ViewContexts::note_figures(const run::Run& run) {
  const bool well = run.finished && run.verdict == run::Verdict::ok;
  if (!well || run.id == state_->figures.id || run.id != state_->own_run) return;
  const run::TimingSummary timing = run.timing();
  if (timing.n == 0) return;
  if (state_->figures.id != 0 && !same_work(state_->figures.spec, run.spec))
    state_->earlier =
        state_->figures.spec.workload == run.spec.workload ? state_->figures : views::RunFigures{};
  state_->figures = {.id = run.id,
                     .spec = run.spec,
                     .step_ms = timing.median_ms,
                     .tokens_per_s = run.tokens_per_s(),
                     .peak_bytes = run.peak_allocated()};
}

void ViewContexts::ask_for_prediction() {
  session_->predictions().follow(state_->history.spec(), session_->engine());
}

void ViewContexts::wait_for_prediction() {
  session_->predictions().wait(frame_begin_ + kPredictedBy);
}

bool ViewContexts::predicted() const {
  const predict::Outlook* const outlook = session_->predictions().outlook();
  return outlook != nullptr && outlook->target != nullptr &&
         outlook->spec == state_->history.spec();
}

// The memory view shows the measured log, with its prediction beside it, while the settings are
// those of the run; otherwise the predicted log. A run that failed before it allocated anything
// has no measured log.
void ViewContexts::choose_memory(views::ViewContext& view) {
  ask_for_prediction();
  const predict::Outlook* outlook = session_->predictions().outlook();
  view.outlook = outlook;
  const run::Run* run = view.run;
  if (outlook != nullptr && outlook->own && run != nullptr && same_work(outlook->spec, run->spec))
    run_forecast_ = outlook->own;
  const bool measured = run != nullptr && same_work(run->spec, state_->history.spec()) &&
                        !run->memory.events().empty();
  const bool known = outlook != nullptr && (outlook->target != nullptr || outlook->own != nullptr);
  if (known) state_->last_forecast = outlook->target != nullptr ? outlook->target : outlook->own;
  // If nothing can be predicted, the last prediction stays and is marked as stale.
  const predict::Forecast* const forecast = state_->last_forecast.get();
  if (measured || forecast == nullptr) {
    if (run != nullptr)
      view.stale_memory = views::difference_text(*texts_, run->spec, state_->history.spec());
    if (run_forecast_ && run != nullptr && same_work(run_forecast_->run.spec, run->spec))
      view.forecast = run_forecast_.get();
    return;
  }
  view.forecast = forecast;
  view.memory.kind = views::MemorySource::Kind::predicted;
  view.memory.owner = nullptr;
  view.memory.log = &forecast->run.log;
  view.memory.id = forecast->id;
  view.memory.range = forecast->run.log.time_range();
  view.memory.limit = forecast->target.capacity();
  if (!known) {
    view.stale_memory = views::difference_text(*texts_, forecast->run.spec, state_->history.spec());
  }
}

}  // namespace ts::app
