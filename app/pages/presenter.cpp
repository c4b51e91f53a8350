#include "app/pages/presenter.h"

#include <utility>

#include "app/lessons/lesson_steps.h"
#include "app/session/catalogue.h"
#include "core/run/compare.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "views/common/spec_text.h"

namespace ts::app {
namespace {

Page page_of(lessons::StepKind kind) {
  switch (kind) {
    case lessons::StepKind::sweep:
      return Page::sweep;
    case lessons::StepKind::hunt:
      return Page::hunt;
    case lessons::StepKind::ab:
      return Page::compare;
    case lessons::StepKind::run:
    case lessons::StepKind::predict:
    case lessons::StepKind::calculate:  // read_demos() refuses these
    case lessons::StepKind::simulate:
    case lessons::StepKind::load:
    case lessons::StepKind::step:
    case lessons::StepKind::advise:
      break;
  }
  return Page::run;
}

// Its place among the open ones; unset: the run is shown.
std::optional<std::size_t> shown_file(const OpenedFiles& files) {
  if (files.current() == nullptr) return std::nullopt;
  return static_cast<std::size_t>(files.current() - files.entries().data());
}

bool measures(lessons::StepKind kind) {
  return kind != lessons::StepKind::predict && kind != lessons::StepKind::hunt;
}

}  // namespace

// Device and seed are the user's own, and so is the card where the demo names none.
spec::WorkloadSpec Presenter::spec_of(const lessons::StepPlan& plan) const {
  const spec::WorkloadSpec& own = before_ ? before_->spec : services_.state.history.spec();
  spec::WorkloadSpec spec = spec_of_plan(plan);
  spec.device = own.device;
  spec.seed = own.seed;
  if (plan.gpu.empty()) spec.target_gpu = own.target_gpu;
  return spec;
}

std::optional<std::size_t> Presenter::demo() const {
  const auto& shown = services_.state.demo;
  return shown ? std::optional(shown->number) : std::nullopt;
}

std::string Presenter::why_not(std::size_t demo) const {
  const lessons::StepPlan& plan = built_in_demos()[demo].plan;
  const auto& t = services_.texts;
  const auto problems = spec::validate(spec_of(plan));
  if (!problems.empty()) return views::message_text(t, problems.front());
  if (!measures(plan.kind)) return {};
  if (!services_.session.engine_problem().empty())
    return views::message_text(t, services_.session.engine_problem());
  const run::EngineInfo* const engine = services_.session.engine();
  const bool compiles = plan.kind == lessons::StepKind::ab && spec::compiles_step(plan.other);
  if (compiles && engine != nullptr && !engine->not_compiled.empty())
    return views::message_text(t, engine->not_compiled);
  // A sweep of the user's own is not thrown away.
  if (services_.runs.measures_sweep() && !started_) return t("note.sweep_measures");
  return {};
}

void Presenter::show(std::size_t demo) {
  stop();
  WorkspaceState& state = services_.state;
  Preferences& preferences = state.preferences;
  if (!before_) {
    before_ = Before{.projector = preferences.projector,
                     .live = preferences.live,
                     .page = state.page,
                     .file = shown_file(services_.session.files()),
                     .spec = state.history.spec(),
                     .sweep_edit = state.sweep_edit,
                     .hunt_edit = state.hunt_edit,
                     .compare_edit = state.compare_edit};
  }
  preferences.projector = true;
  // Dragging a slider shows its prediction; a run of each size would take minutes.
  preferences.live = false;
  state.demo = ShownDemo{.number = demo};
  // Nothing of the picture before.
  blank = hold = false;
  if (pages_->run.enlarged()) pages_->run.enlarge();
}

void Presenter::next() {
  auto& shown = services_.state.demo;
  if (!shown) return;
  switch (shown->stage) {
    case views::DemoStage::question:
      if (const std::string why = why_not(shown->number); !why.empty()) {
        services_.notices.add(why);
      } else {
        shown->stage = views::DemoStage::picture;
        show_picture(built_in_demos()[shown->number].plan);
      }
      return;
    case views::DemoStage::picture:
      shown->stage = views::DemoStage::answer;
      return;
    case views::DemoStage::answer:
      shown->number + 1 < built_in_demos().size() ? show(shown->number + 1) : leave();
      return;
  }
}

// From the question to that of the demo before.
void Presenter::back() {
  auto& shown = services_.state.demo;
  if (!shown) return;
  if (shown->stage == views::DemoStage::answer) {
    shown->stage = views::DemoStage::picture;
  } else if (shown->stage == views::DemoStage::picture) {
    stop();
    shown->stage = views::DemoStage::question;
  } else if (shown->number > 0) {
    show(shown->number - 1);
  }
}

void Presenter::leave() {
  WorkspaceState& state = services_.state;
  if (!state.demo) return;
  stop();
  services_.session.hide_run(false);
  state.demo.reset();
  state.preferences.projector = before_->projector;
  state.preferences.live = before_->live;
  state.page = before_->page;
  OpenedFiles& files = services_.session.files();
  if (before_->file && *before_->file < files.entries().size()) files.choose(before_->file);
  state.sweep_edit = before_->sweep_edit;
  state.hunt_edit = before_->hunt_edit;
  state.compare_edit = before_->compare_edit;
  if (state.history.spec() != before_->spec) services_.runs.open_settings(before_->spec);
  before_.reset();
}

void Presenter::stop() {
  if (!std::exchange(started_, false)) return;
  SweepSession& sweeps = *services_.state.sweeps;
  if (!sweeps.idle()) sweeps.runner()->cancel();
  if (services_.session.busy()) services_.session.cancel();
}

void Presenter::show_picture(const lessons::StepPlan& plan) {
  WorkspaceState& state = services_.state;
  services_.runs.open_settings(spec_of(plan));
  services_.session.files().choose(std::nullopt);
  services_.session.hide_run(plan.kind == lessons::StepKind::predict);
  state.page = page_of(plan.kind);
  started_ = measures(plan.kind);
  switch (plan.kind) {
    case lessons::StepKind::run:
      return pages_->run.start();
    case lessons::StepKind::predict:
    case lessons::StepKind::calculate:
    case lessons::StepKind::simulate:
    case lessons::StepKind::load:
    case lessons::StepKind::step:
    case lessons::StepKind::advise:
      return;
    case lessons::StepKind::sweep:
      state.sweep_edit = views::edit_of(plan.sweep, built_in_sweeps());
      return pages_->sweep.begin_new();
    case lessons::StepKind::hunt:
      state.hunt_edit = {};
      state.hunt_edit.x = plan.axis;
      return;
    case lessons::StepKind::ab: {
      const run::SpecDifference other = run::differences(plan.spec, plan.other).front();
      state.compare_edit = {*spec::field_from_name(other.key), other.b};
      return pages_->compare.start();
    }
  }
}

}  // namespace ts::app
