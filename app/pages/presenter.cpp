#include "app/pages/presenter.h"

#include <utility>

#include "app/lessons/lesson_steps.h"
#include "app/session/catalogue.h"
#include "core/run/compare.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "views/common/spec_words.h"

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
      break;
  }
  return Page::run;
}

// Device and seed are those of now, and so is the card where the demo names none.
spec::WorkloadSpec spec_here(const lessons::StepPlan& plan, const spec::WorkloadSpec& now) {
  spec::WorkloadSpec spec = spec_of_plan(plan);
  spec.device = now.device;
  spec.seed = now.seed;
  if (plan.gpu.empty()) spec.target_gpu = now.target_gpu;
  return spec;
}

bool measures(lessons::StepKind kind) {
  return kind != lessons::StepKind::predict && kind != lessons::StepKind::hunt;
}

}  // namespace

std::string Presenter::why_not(std::size_t demo) const {
  const lessons::StepPlan& plan = built_in_demos()[demo].plan;
  const auto& t = services_.texts;
  const auto problems = spec::validate(spec_here(plan, services_.state.history.spec()));
  if (!problems.empty()) return views::message_words(t, problems.front());
  if (!measures(plan.kind)) return {};
  if (!services_.session.engine_problem().empty())
    return views::message_words(t, services_.session.engine_problem());
  const run::EngineInfo* const engine = services_.session.engine();
  const bool compiles = plan.kind == lessons::StepKind::ab && spec::compiles_step(plan.other);
  if (compiles && engine != nullptr && !engine->not_compiled.empty())
    return views::message_words(t, engine->not_compiled);
  // A sweep of the user's own is not thrown away.
  if (services_.runs.measures_sweep() && !started_) return t("note.sweep_measures");
  return {};
}

void Presenter::show(std::size_t demo) {
  stop();
  Preferences& preferences = services_.state.preferences;
  if (!before_) before_ = Before{preferences.projector, preferences.live};
  preferences.projector = true;
  // Dragging a slider shows its prediction; a run of each size would take minutes.
  preferences.live = false;
  demo_ = demo;
  stage_ = views::DemoStage::question;
  // Nothing of the picture before.
  blank = hold = false;
  if (pages_->run.enlarged()) pages_->run.enlarge();
}

void Presenter::next() {
  if (!demo_) return;
  switch (stage_) {
    case views::DemoStage::question:
      if (const std::string why = why_not(*demo_); !why.empty()) {
        services_.notices.add(why);
      } else {
        stage_ = views::DemoStage::picture;
        show_picture();
      }
      return;
    case views::DemoStage::picture:
      stage_ = views::DemoStage::answer;
      return;
    case views::DemoStage::answer:
      *demo_ + 1 < built_in_demos().size() ? show(*demo_ + 1) : leave();
      return;
  }
}

// From the question to that of the demo before.
void Presenter::back() {
  if (!demo_) return;
  if (stage_ == views::DemoStage::answer) {
    stage_ = views::DemoStage::picture;
  } else if (stage_ == views::DemoStage::picture) {
    stop();
    stage_ = views::DemoStage::question;
  } else if (*demo_ > 0) {
    show(*demo_ - 1);
  }
}

void Presenter::leave() {
  if (!demo_) return;
  stop();
  demo_.reset();
  services_.state.preferences.projector = before_->projector;
  services_.state.preferences.live = before_->live;
  before_.reset();
}

void Presenter::stop() {
  if (!std::exchange(started_, false)) return;
  SweepSession& sweeps = *services_.state.sweeps;
  if (!sweeps.idle()) sweeps.runner()->cancel();
  if (services_.session.busy()) services_.session.cancel();
}

void Presenter::show_picture() {
  const lessons::StepPlan& plan = built_in_demos()[*demo_].plan;
  WorkspaceState& state = services_.state;
  services_.runs.open_settings(spec_here(plan, state.history.spec()));
  services_.session.files().choose(std::nullopt);
  state.page = page_of(plan.kind);
  started_ = measures(plan.kind);
  switch (plan.kind) {
    case lessons::StepKind::run:
      return pages_->run.start();
    case lessons::StepKind::predict:
      return;
    case lessons::StepKind::sweep:
      state.sweep_edit = views::edit_of(plan.sweep);
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
