#include "app/own_file/own_session.h"

#include <chrono>
#include <utility>

#include "core/allocator/snapshot_of_log.h"
#include "core/base/clock.h"
#include "core/io/file.h"
#include "core/snapshot/snapshot_write.h"

namespace ts::app {
namespace {

constexpr int kSteps = 3;
// A process takes seconds: one for every stop of a slider would be ended before it said anything.
constexpr std::chrono::milliseconds kRest{300};

base::Result<void> write_snapshot(const OwnSession::Forecast& forecast,
                                  const std::filesystem::path& path) {
  allocator::SnapshotOfLogOptions options;
  options.memory_limit = forecast.target.capacity();
  options.unix_offset_ns = base::unix_now_ns();
  options.user_metadata = allocator::predicted_note(forecast.target.name);
  const allocator::Snapshot snapshot =
      allocator::snapshot_of(forecast.dry->run.log, *forecast.dry->strings, options);
  return snapshot::write_snapshot(path, snapshot, snapshot::SnapshotFormat::pickle);
}

}  // namespace

OwnSession::OwnSession()
    : thread_(
          {.work = [this](Job& job, const base::CancelToken& cancel) { do_job(job, cancel); }}) {}

void OwnSession::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    work_ = job.work;
    if (job.work == Work::describe) state_ = {};
  }
  thread_.submit(std::move(job));
}

void OwnSession::describe(OwnQuestion question) {
  submit({Work::describe, std::move(question), {}, {}, {}});
}

void OwnSession::predict(OwnQuestion question, predict::PredictionTarget target) {
  submit({Work::predict, std::move(question), std::move(target), {}, {}});
}

void OwnSession::record(OwnQuestion question, std::filesystem::path out) {
  submit({Work::run, std::move(question), {}, {}, std::move(out)});
}

void OwnSession::show(std::shared_ptr<const Forecast> forecast, std::filesystem::path out) {
  submit({Work::show, {}, {}, std::move(forecast), std::move(out)});
}

OwnSession::State OwnSession::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

OwnSession::Work OwnSession::work() const {
  if (!busy()) return Work::none;
  const std::lock_guard lock(mutex_);
  return work_;
}

std::optional<std::filesystem::path> OwnSession::take_file() {
  const std::lock_guard lock(mutex_);
  return std::exchange(file_, std::nullopt);
}

void OwnSession::do_job(const Job& job, const base::CancelToken& cancel) {
  if (job.work == Work::predict && thread_.superseded_within(kRest)) return;
  if (cancel.cancelled()) return;
  const auto done = answer(job, cancel);
  if (cancel.cancelled()) return;
  const std::lock_guard lock(mutex_);
  state_.problem = done ? base::Message() : done.error();
}

base::Result<void> OwnSession::predict_now(const Job& job, const base::CancelToken& cancel) {
  auto dry = dry_run_own(job.question, job.target, cancel);
  if (!dry) return tl::unexpected(dry.error());
  auto made = std::make_shared<Forecast>();
  made->question = job.question;
  made->target = job.target;
  made->dry = std::make_shared<const OwnDryRun>(std::move(*dry));
  made->prediction = predict::predict(made->dry->run, *made->dry->strings, job.target, {}, nullptr);
  const std::lock_guard lock(mutex_);
  state_.forecast = std::move(made);
  return {};
}

base::Result<void> OwnSession::answer(const Job& job, const base::CancelToken& cancel) {
  if (job.work == Work::predict) return predict_now(job, cancel);
  if (job.work == Work::describe) {
    auto described = describe_own(job.question, cancel);
    if (!described) return tl::unexpected(described.error());
    const std::lock_guard lock(mutex_);
    state_.description = std::make_shared<const OwnDescription>(std::move(*described));
    return {};
  }
  if (auto made = io::make_folder(job.out.parent_path()); !made) return made;
  if (job.work == Work::run) {
    const auto recorded = record_own(job.question, kSteps, cancel);
    if (!recorded) return tl::unexpected(recorded.error());
    if (auto written = io::write_file(job.out, recorded->content); !written) return written;
  } else if (auto written = write_snapshot(*job.forecast, job.out); !written) {
    return written;
  }
  const std::lock_guard lock(mutex_);
  file_ = job.out;
  return {};
}

}  // namespace ts::app
