#include "app/own_file/own_session.h"

#include <chrono>
#include <utility>

#include "app/output/prediction_files.h"
#include "app/own_file/own_python.h"
#include "core/base/clock.h"
#include "core/io/file.h"

namespace ts::app {
namespace {

constexpr int kSteps = 3;
// The first question waits for seconds; one for every stop of a slider would only be in the way.
constexpr std::chrono::milliseconds kRest{300};
// A prediction may take so long before a newer one ends it.
constexpr std::int64_t kQuickNs = 400'000'000;

}  // namespace

OwnSession::OwnSession()
    : process_([this] { return thread_.superseded() && base::now_ns() - begun_ns_ > kQuickNs; }),
      thread_(
          {.work = [this](Job& job, const base::CancelToken& cancel) { do_job(job, cancel); }}) {}

void OwnSession::submit(Job job) {
  using InProgress = base::JobThread<Job>::InProgress;
  InProgress in_progress = InProgress::cancel;
  {
    const std::lock_guard lock(mutex_);
    if (job.work == Work::predict && work_ == Work::predict) in_progress = InProgress::keep;
    work_ = job.work;
    if (job.work == Work::describe || job.work == Work::examine) state_ = {};
  }
  if (!thread_.busy()) begun_ns_ = base::now_ns();
  thread_.submit(std::move(job), in_progress);
}

void OwnSession::examine(std::filesystem::path python) {
  OwnQuestion question;
  question.python = std::move(python);
  submit({.work = Work::examine, .question = std::move(question)});
}

void OwnSession::describe(OwnQuestion question) {
  submit({.work = Work::describe, .question = std::move(question)});
}

void OwnSession::predict(OwnQuestion question, predict::PredictionTarget target) {
  submit({.work = Work::predict, .question = std::move(question), .target = std::move(target)});
}

void OwnSession::record(OwnQuestion question, std::filesystem::path out) {
  submit({.work = Work::run, .question = std::move(question), .out = std::move(out)});
}

void OwnSession::write_model(OwnQuestion question, std::filesystem::path out) {
  submit({.work = Work::write, .question = std::move(question), .out = std::move(out)});
}

void OwnSession::show(std::shared_ptr<const Forecast> forecast, std::filesystem::path out) {
  submit({.work = Work::show, .forecast = std::move(forecast), .out = std::move(out)});
}

void OwnSession::close() {
  submit({.work = Work::close});
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

bool OwnSession::lasts() const {
  return busy() && (work() != Work::predict || base::now_ns() - begun_ns_ > kQuickNs);
}

std::optional<std::filesystem::path> OwnSession::take_file() {
  const std::lock_guard lock(mutex_);
  return std::exchange(file_, std::nullopt);
}

void OwnSession::do_job(const Job& job, const base::CancelToken& cancel) {
  if (job.work == Work::predict && !process_.waits() && thread_.superseded_within(kRest)) return;
  if (cancel.cancelled()) return;
  if (job.work == Work::close) return process_.end();
  begun_ns_ = base::now_ns();
  const auto done = answer(job, cancel);
  const bool superseded = thread_.superseded();
  const bool says_where = !done && !superseded && done.error().key == "own_file.stopped";
  if ((cancel.cancelled() && !says_where) || (!done && superseded)) return;
  const std::lock_guard lock(mutex_);
  state_.problem = done ? base::Message() : done.error();
}

base::Result<void> OwnSession::examine_now(const Job& job, const base::CancelToken& cancel) {
  TS_TRY(auto words, examine_python(job.question.python, cancel));
  {
    const std::lock_guard lock(mutex_);
    state_.python = std::move(words);
  }
  return remember_python(job.question.python);
}

base::Result<void> OwnSession::predict_now(const Job& job, const base::CancelToken& cancel) {
  TS_TRY(auto dry, dry_run_own(process_, job.question, job.target, cancel));
  auto made = std::make_shared<Forecast>();
  made->question = job.question;
  made->of = {.run = std::move(dry.run), .target = job.target};
  made->of.prediction = predict::predict(made->of.run, *dry.strings, job.target, {}, nullptr);
  made->lines = bytes_by_line(made->of.run.log, *dry.strings, made->of.prediction.peak_event);
  made->strings = std::move(dry.strings);
  made->on_cpu = std::move(dry.on_cpu);
  made->compiled = std::move(dry.compiled);
  const std::lock_guard lock(mutex_);
  state_.forecast = std::move(made);
  return {};
}

base::Result<void> OwnSession::answer(const Job& job, const base::CancelToken& cancel) {
  if (job.work == Work::examine) return examine_now(job, cancel);
  if (job.work == Work::predict) return predict_now(job, cancel);
  if (job.work == Work::describe) {
    TS_TRY(auto described, describe_own(process_, job.question, cancel));
    const std::lock_guard lock(mutex_);
    state_.description = std::make_shared<const OwnDescription>(std::move(described));
    return {};
  }
  if (auto made = io::make_folder(job.out.parent_path()); !made) return made;
  if (job.work == Work::run) {
    TS_TRY(const auto recorded, record_own(process_, job.question, kSteps, cancel));
    if (auto written = io::write_file(job.out, recorded.content); !written) return written;
  } else if (job.work == Work::write) {
    TS_TRY_DONE(export_own(process_, job.question, job.out, cancel));
  } else if (auto written =
                 write_predicted_snapshot(job.out, job.forecast->of, {}, *job.forecast->strings);
             !written) {
    return written;
  }
  const std::lock_guard lock(mutex_);
  file_ = job.out;
  return {};
}

}  // namespace ts::app
