#include "app/session/sweep_runner.h"

#include "app/session/catalogue.h"
#include "core/base/clock.h"
#include "core/io/file.h"
#include "core/sweep/point_profile.h"
#include "core/sweep/sweep_json.h"

namespace ts::app {

SweepRunner::SweepRunner(Session& session, sweep::Sweep& sweep, sweep::SweepJournal* journal)
    : session_(&session), sweep_(&sweep), journal_(journal), paused_(sweep.spec().only_predicted) {}

SweepRunner::~SweepRunner() {
  if (!points_.empty()) session_->on_batch = nullptr;
}

void SweepRunner::keep_points(std::filesystem::path folder) {
  points_ = std::move(folder);
  session_->on_batch = [this](run::RunId id, const capture::Batch& batch) {
    if (recording_ != nullptr && recording_->id() == id) recording_->add(batch);
  };
}

void SweepRunner::update() {
  const bool saved = recordings_.ready();
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
    if (predictor_ != nullptr) asked_predictor_ = false;  // resume() requests it again
    predictor_.reset();
    sweep_->cancel_rest();
    return;
  }
  if (!predicted() || !saved) return;
  if ((paused_ && !sweep_->wanted()) || session_->busy()) return;
  const auto point = sweep_->next();
  if (!point) return;
  sweep_->start(*point);
  too_long_ = false;
  // Never refused: impossible points are not pending.
  session_->start(sweep_->points()[*point].spec, sweep_->spec().protocol);
  id_ = session_->asked();
  if (!points_.empty()) {
    recording_ = std::make_unique<run::RecordingWriter>(id_, session_->strings());
  }
}

bool SweepRunner::predicted() {
  if (!asked_predictor_) {
    if (!session_->dry_runner()) return true;
    // The worker loads LibTorch, because it knows the order of loading.
    if (session_->engine() == nullptr) return !session_->engine_problem().empty();
    asked_predictor_ = true;
    const spec::HostMemory host = spec::read_host_memory();
    std::vector<sweep::SweepPredictor::Job> jobs;
    for (const std::size_t index : sweep_->order()) {
      const sweep::SweepPoint& point = sweep_->points()[index];
      const spec::Gpu* gpu = session_->gpus().find(point.spec.target_gpu);
      // The prediction from the time of the measurement stays beside it.
      if (point.prediction.known() && (point.measured || point.status == sweep::PointStatus::oom)) {
        continue;
      }
      if (point.status == sweep::PointStatus::failed || gpu == nullptr) continue;
      jobs.push_back({index, point.spec, sweep::target_of_point(point.spec, *gpu, host)});
    }
    predictor_ = std::make_unique<sweep::SweepPredictor>(
        session_->dry_runner(), std::move(jobs),
        std::make_shared<const predict::CudaScratch>(built_in_scratch()));
  }
  if (predictor_ == nullptr) return true;
  sweep_->predict(predictor_->take());
  if (!predictor_->done()) return false;
  predictor_.reset();
  return true;
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
    auto written = journal_->append(to_json(*sweep_, sweep_->points()[point]));
    journal_problem_ = written ? base::Message() : written.error();
  }
  const sweep::PointStatus status = sweep_->points()[point].status;
  if (!points_.empty()) keep_profile(point, *run);
  const bool ended = status == sweep::PointStatus::ok || status == sweep::PointStatus::oom;
  if (recording_ != nullptr && ended) {
    recordings_.save(points_, sweep::profile_name(*sweep_, point), std::move(recording_),
                     session_->share_current());
  }
  recording_.reset();
  if (on_point) on_point(point);
}

void SweepRunner::keep_profile(std::size_t point, const run::Run& run) {
  std::error_code ignored;
  std::filesystem::create_directories(points_, ignored);
  const auto path = points_ / (sweep::profile_name(*sweep_, point) + ".json");
  // A run that did not end well has no whole steps to compare; the file of a run before it is
  // removed, too.
  std::filesystem::remove(path, ignored);
  if (sweep_->points()[point].status != sweep::PointStatus::ok) return;
  const std::string profile = sweep::profile_of(run, session_->strings())
                                  .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (!leaves_room(points_, profile.size())) return;
  const auto written = io::write_file(path, profile);
  if (!written && journal_problem_.empty()) journal_problem_ = written.error();
}

void SweepRunner::end_if_too_slow() {
  const run::Run* run = session_->current();
  if (too_long_ || run == nullptr || run->id != id_ || run->stage == run::Stage::roof) return;
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

void SweepRunner::rerun(std::size_t point) {
  cancelling_ = false;
  sweep_->rerun(point);
}

void SweepRunner::widened() {
  cancelling_ = false;
  predictor_.reset();
  asked_predictor_ = false;
}

void SweepRunner::cancel() {
  cancelling_ = true;
  if (sweep_->running() && session_->asked() == id_) session_->cancel();
  if (!sweep_->running()) sweep_->cancel_rest();
}

bool SweepRunner::idle() const {
  return !sweep_->running() && predictor_ == nullptr && !recordings_.busy() &&
         ((paused_ && !sweep_->wanted()) || sweep_->count(sweep::PointStatus::pending) == 0);
}

}  // namespace ts::app
