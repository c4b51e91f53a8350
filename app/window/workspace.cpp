#include "app/window/workspace.h"

#include <imgui.h>

#include <algorithm>
#include <optional>

#include "app/window/projector_scale.h"
#include "core/base/clock.h"
#include "core/spec/typed_card.h"
#include "views/common/spec_words.h"

namespace ts::app {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Live starts the run when a slider has rested this long.
constexpr std::int64_t kDebounce = kSecond / 4;
constexpr std::int64_t kNoteTime = 6 * kSecond;
// Time since the start of the frame; drawing with the prediction has the rest of 16.6 ms.
constexpr std::chrono::milliseconds kPredictedBy{10};

run::Protocol protocol_for(bool live) {
  run::Protocol protocol;
  if (live) {
    // Live needs quick results: fewer samples, the other rules stay.
    protocol.budget_s = 1;
    protocol.hard_budget_s = 10;
    protocol.max_warmup_s = 1;
    protocol.min_warmup_s = 0.05;
  }
  return protocol;
}

// Equal except for the card to compare with and the allocator's settings.
bool same_work(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b) {
  spec::WorkloadSpec same = b;
  same.target_gpu = a.target_gpu;
  same.alloc_conf = a.alloc_conf;
  return a == same;
}

}  // namespace

void Requests::add(Requests&& later) {
  quit = quit || later.quit;
  picture = picture || later.picture;
  restart = restart || later.restart;
  lesson = lesson || later.lesson;
  if (later.hunt_picture) hunt_picture = std::move(later.hunt_picture);
  if (later.save) save = later.save;
  if (later.figure) figure = std::move(later.figure);
}

std::filesystem::path WorkspaceState::save_folder() const {
  return preferences.save_folder.empty() ? default_save_folder : preferences.save_folder;
}

void WorkspaceState::choose_save_folder(const std::filesystem::path& chosen) {
  preferences.save_folder = chosen;
  sweeps->set_folder(save_folder());
  hunts->set_folder(save_folder());
  lessons->set_folder(save_folder());
}

base::Result<Layout> layout_from_name(const std::string& name) {
  if (name == "run") return Layout::panels;
  if (name == "projector") return Layout::projector;
  if (name == "timeline") return Layout::timeline;
  if (name == "memory") return Layout::memory;
  if (name == "segments") return Layout::segments;
  if (name == "operators") return Layout::operators;
  if (name == "agreement") return Layout::agreement;
  if (name == "controls") return Layout::controls;
  if (name == "inspector") return Layout::inspector;
  if (name == "sweep") return Layout::sweep;
  if (name == "hunt") return Layout::hunt;
  if (name == "ab") return Layout::compare;
  if (name == "lessons") return Layout::lessons;
  return base::fail("There is no workspace \"" + name +
                    "\"; there are run, sweep, hunt, ab, lessons, projector, timeline, memory, "
                    "segments, operators, agreement, controls and inspector");
}

const views::Theme& theme_of(Layout layout, const Preferences& preferences) {
  return views::theme(layout == Layout::projector ? views::ThemeKind::light : preferences.theme);
}

Workspace::Workspace(Session& session, WorkspaceState& state, const text::Texts& texts,
                     const views::Fonts::Faces& faces)
    : session_(&session), state_(&state), texts_(&texts), faces_(&faces) {
  seen_spec_ = state.history.spec();
}

void Workspace::notify(std::string words) {
  note_ = std::move(words);
  note_until_ns_ = base::now_ns() + kNoteTime;
}

void Workspace::notify(const base::Message& message) {
  notify(views::message_words(*texts_, message));
}

bool Workspace::animated() const {
  const bool live_pending = state_->preferences.live && state_->history.spec() != run_spec_;
  return session_->busy() || session_->files().loading() || !state_->sweeps->idle() ||
         state_->lessons->running() || state_->sweeps->opening() ||
         session_->predictions().busy() || session_->predictions().hunt_busy() || live_pending ||
         state_->hunts->confirming() || base::now_ns() < note_until_ns_ || !toasts_.empty();
}

views::ViewContext Workspace::context(const views::Ui& ui) {
  const spec::Gpu* gpu = session_->gpus().find(state_->history.spec().target_gpu);
  const run::Run* run = session_->run();
  const OpenedFiles::Entry* entry = session_->files().current();
  const files::OpenedFile* opened = entry != nullptr ? entry->opened.get() : nullptr;
  const files::OpenedTrace* trace = opened != nullptr ? opened->trace.get() : nullptr;
  const files::OpenedFile* file = trace == nullptr ? opened : nullptr;
  const files::OpenedDevice* device = file != nullptr ? &file->devices[entry->device] : nullptr;
  if (entry != nullptr) {
    run = trace != nullptr ? &trace->run : device != nullptr ? &device->run : nullptr;
  }
  if (run != nullptr && run->id != state_->viewed) {
    // Positions in an old trace have no meaning in a new one.
    state_->viewed = run->id;
    views::ViewState fresh;
    fresh.memory_axis = state_->view.memory_axis;
    fresh.live_axis = state_->view.live_axis;
    fresh.link_axes = state_->view.link_axes;
    fresh.block_colors = state_->view.block_colors;
    fresh.detail = state_->view.detail;
    fresh.search = state_->view.search;
    fresh.show_agreement = state_->view.show_agreement;
    if (file != nullptr) {
      if (!state_->color_of_runs) state_->color_of_runs = fresh.block_colors;
      // If a file has no categories, one colour for everything would show nothing.
      fresh.block_colors =
          device->guessed_share.value_or(files::has_categories(*device) ? 1 : 0) > 0.5
              ? views::BlockColors::category
              : views::BlockColors::stack;
    } else if (state_->color_of_runs) {
      fresh.block_colors = *state_->color_of_runs;
      state_->color_of_runs.reset();
    }
    state_->view = fresh;
  }
  if (entry != nullptr) {
    // The file does not contain the memory of the recording's card.
    views::ViewContext view{run,
                            opened != nullptr ? opened->strings() : session_->strings(),
                            *texts_,
                            ui.theme,
                            ui.metrics,
                            state_->view,
                            base::now_ns(),
                            0,
                            {},
                            faces_};
    view.file = file;
    view.file_device = device;
    view.trace = trace;
    view.picture = !show_frame_rate_;
    view.replayed = session_->files().replayed();
    view.memory.kind = views::MemorySource::Kind::opened;
    if (run != nullptr) {
      view.memory.log = &run->memory;
      view.memory.id = run->id;
      view.memory.range = run->memory.time_range();
      view.memory.owner = entry->opened;
      if (device != nullptr) {
        view.memory.stacks = device->stacks;
        view.memory.guessed_share = device->guessed_share;
      }
    }
    return view;
  }
  // A typed limit has priority over the card's memory.
  const std::int64_t typed = state_->history.spec().memory_limit;
  const std::int64_t capacity = typed > 0 ? typed : gpu != nullptr ? gpu->memory_bytes : 0;
  std::string name = typed > 0        ? std::string((*texts_)("bar.limit"))
                     : gpu != nullptr ? spec::card_label(*gpu)
                                      : std::string();
  views::ViewContext view{run,          session_->strings(), *texts_,  ui.theme,        ui.metrics,
                          state_->view, base::now_ns(),      capacity, std::move(name), faces_};
  view.live = state_->preferences.live;
  view.picture = !show_frame_rate_;
  if (run != nullptr && run->finished) view.memory.owner = session_->share_shown();
  if (run != nullptr) {
    note_figures(*run);
    view.stale = views::difference_words(*texts_, run->spec, state_->history.spec());
  }
  if (state_->earlier.id != 0) {
    view.earlier = &state_->earlier;
    view.stale_earlier =
        views::difference_words(*texts_, state_->earlier.spec, state_->history.spec());
  }
  choose_memory(view);
  return view;
}

void Workspace::note_figures(const run::Run& run) {
  const bool well = run.finished && run.verdict == run::Verdict::ok;
  if (!well || run.id == state_->figures.id) return;
  const run::TimingSummary timing = run.timing();
  if (timing.n == 0) return;
  if (state_->figures.id != 0 && !same_work(state_->figures.spec, run.spec))
    state_->earlier = state_->figures;
  state_->figures = {run.id, run.spec, timing.median_ms, run.tokens_per_s(), run.peak_allocated()};
}

void Workspace::ask_for_prediction() {
  session_->predictions().follow(state_->history.spec(), session_->engine());
}

// Draw what does not show the prediction between ask_for_prediction() and this call.
void Workspace::wait_for_prediction() {
  session_->predictions().wait(frame_begin_ + kPredictedBy);
}

// Shows measured memory with its prediction while the settings are those of the run; else predicted
// memory, also if the run failed before it had allocated anything.
void Workspace::choose_memory(views::ViewContext& view) {
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
  // If nothing can be predicted, the last prediction stays, marked as such.
  const predict::Forecast* const forecast = state_->last_forecast.get();
  if (measured || forecast == nullptr) {
    if (run != nullptr)
      view.stale_memory = views::difference_words(*texts_, run->spec, state_->history.spec());
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
    view.stale_memory =
        views::difference_words(*texts_, forecast->run.spec, state_->history.spec());
  }
}

views::ControlsContext Workspace::controls(const views::Ui& ui) {
  return {ui,
          state_->history,
          session_->gpus(),
          session_->engine(),
          session_->run(),
          session_->predictions().outlook(),
          &state_->preferences.targets};
}

bool Workspace::measures_sweep() const {
  return state_->sweeps->sweep() != nullptr && state_->sweeps->sweep()->running().has_value();
}

void Workspace::start_run(bool live) {
  if (measures_sweep()) {
    // Live waits until the sweep is paused or has ended.
    if (!live) notify((*texts_)("note.sweep_measures"));
    return;
  }
  run_spec_ = state_->history.spec();
  if (!session_->engine_problem().empty()) {
    notify(session_->engine_problem());
    return;
  }
  const auto problems = spec::validate(run_spec_);
  if (!problems.empty()) {
    if (!live) notify(problems.front());
    return;
  }
  session_->show(nullptr);
  session_->files().choose(std::nullopt);
  session_->start(run_spec_, protocol_for(live));
}

void Workspace::start() {
  switch (state_->page) {
    case Page::compare:
      return start_comparison();
    case Page::sweep:
      return start_or_pause_sweep();
    case Page::lessons:
      return start_lesson();
    case Page::run:
    case Page::hunt:
      return start_run(false);
  }
}

void Workspace::follow_live() {
  const spec::WorkloadSpec& spec = state_->history.spec();
  if (spec != seen_spec_) {
    seen_spec_ = spec;
    changed_ns_ = base::now_ns();
  }
  // Two specifications are compared only on request.
  if (state_->page == Page::compare) run_spec_ = spec;
  if (state_->preferences.live && spec != run_spec_ && base::now_ns() - changed_ns_ > kDebounce) {
    start_run(true);
  }
}

Requests Workspace::draw(Layout layout, bool interactive) {
  Requests requests;
  frame_begin_ = std::chrono::steady_clock::now();
  show_frame_rate_ = interactive;
  const bool projector = layout == Layout::projector;
  const views::Theme& theme = theme_of(layout, state_->preferences);
  const float scale = projector
                          ? projector_scale(state_->preferences.scale, ImGui::GetIO().DisplaySize.y)
                          : state_->preferences.scale;
  views::apply_style(theme, {scale});
  const views::Ui ui{theme, {scale}, *faces_, *texts_};
  if (interactive) {
    state_->sweeps->update();
    take_opened_point();
    state_->hunts->update(*session_);
    state_->lessons->update();
    take_keys(requests);
    follow_live();
  }
  // On the projector the run page has a layout of its own; the others have a strip of controls in
  // place of the form.
  if (layout == Layout::panels || projector) {
    if (state_->page == Page::sweep) layout = Layout::sweep;
    if (state_->page == Page::hunt) layout = Layout::hunt;
    if (state_->page == Page::compare) layout = Layout::compare;
    if (state_->page == Page::lessons) layout = Layout::lessons;
  }
  const bool page = layout == Layout::sweep || layout == Layout::hunt ||
                    layout == Layout::compare || layout == Layout::lessons;
  if (layout == Layout::panels || page || projector) {
    draw_top_bar(ui, requests, projector);
    draw_restart_bar(ui, requests);
    if (interactive) draw_limit_bar(ui);
    if (!page) draw_file_tabs(ui);
    draw_status_bar(ui);
  }
  switch (layout) {
    case Layout::panels:
      draw_panels(ui);
      break;
    case Layout::projector:
      draw_projector(ui);
      break;
    case Layout::sweep:
      draw_sweep(ui, projector, requests);
      break;
    case Layout::hunt:
      draw_hunt(ui, projector, requests);
      break;
    case Layout::compare:
      draw_compare(ui, projector);
      break;
    case Layout::lessons:
      draw_lessons(ui, requests);
      break;
    default:
      draw_one(ui, layout);
  }
  if (show_operators_) {
    draw_sheet(ui, "tables.title", "###operators_sheet", show_operators_,
               [&] { operators_.draw(ui, context(ui), state_->operators_tab); });
  }
  if (state_->view.show_agreement && interactive) {
    draw_sheet(ui, "agreement.title", "###agreement_sheet", state_->view.show_agreement,
               [&] { agreement_.draw(ui, context(ui)); });
  }
  if (show_comparison_) {
    draw_sheet(ui, "sweep.compare.title", "###comparison_sheet", show_comparison_,
               [&] { draw_comparison(ui); });
  }
  if (show_save_folder_) {
    draw_sheet(
        ui, "save.title", "###save_folder_sheet", show_save_folder_, [&] { draw_save_folder(ui); },
        SheetSize::small);
  }
  if (show_glossary_) {
    draw_sheet(ui, "glossary.title", "###glossary_sheet", show_glossary_,
               [&] { draw_glossary(ui); });
  }
  if (show_shortcuts_) draw_shortcuts(ui);
  if (interactive) {
    draw_open_sheet(ui);
    draw_palette(ui, requests);
    draw_toasts(ui);
    keep_keys();
  }
  return requests;
}

}  // namespace ts::app
