#include "app/sweep_runner.h"

#include "core/base/clock.h"
#include "core/run/sweep_json.h"

namespace ts::app {

SweepRunner::SweepRunner(Session& session, run::Sweep& sweep, run::SweepJournal* journal)
    : session_(&session), sweep_(&sweep), journal_(journal) {}

void SweepRunner::update() {
  if (sweep_->running()) {
    const bool replaced = session_->asked() != id_;
    if (replaced) {
      sweep_->give_back(*sweep_->running());
    } else if (session_->busy()) {
      end_if_too_slow();
      return;
    } else {
      take_end();
    }
  }
  if (cancelling_) {
    sweep_->cancel_rest();
    return;
  }
  if (paused_ || session_->busy()) return;
  const auto point = sweep_->next();
  if (!point) return;
  sweep_->start(*point);
  too_long_ = false;
  // Never refused: impossible points are not pending.
  session_->start(sweep_->points()[*point].spec, sweep_->spec().protocol);
  id_ = session_->asked();
}

void SweepRunner::take_end() {
  const std::size_t point = *sweep_->running();
  const run::Run* run = session_->current();
  if (run == nullptr || run->id != id_) {
    sweep_->give_back(point);  // cancelled before it began
    return;
  }
  sweep_->finish(point, *run, too_long_);
  if (journal_ != nullptr) {
    auto written = journal_->append(run::to_json(*sweep_, sweep_->points()[point]));
    journal_problem_ = written ? std::string() : written.error().sentence;
  }
  if (on_point) on_point(point);
}

void SweepRunner::end_if_too_slow() {
  const run::Run* run = session_->current();
  if (too_long_ || run == nullptr || run->id != id_) return;
  const double seconds = static_cast<double>(base::now_ns() - run->begin_ns) * 1e-9;
  if (seconds <= sweep_->spec().max_point_s) return;
  too_long_ = true;
  session_->cancel();
}

void SweepRunner::resume() {
  paused_ = false;
  cancelling_ = false;
  sweep_->resume();
}

void SweepRunner::cancel() {
  cancelling_ = true;
  if (sweep_->running() && session_->asked() == id_) session_->cancel();
  if (!sweep_->running()) sweep_->cancel_rest();
}

bool SweepRunner::idle() const {
  return !sweep_->running() && (paused_ || sweep_->count(run::PointStatus::pending) == 0);
}

}  // namespace ts::app
