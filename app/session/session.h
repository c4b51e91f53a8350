#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/opened_files.h"
#include "app/session/predictions.h"
#include "core/base/message.h"
#include "core/base/string_table.h"
#include "core/run/compare.h"
#include "core/run/run.h"
#include "core/run/worker.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// The program's state without any drawing: the worker, what it has told so far, and the run on
// screen. Used by the window and by the commands alike. One owner thread.
class Session {
 public:
  // Without a loader of dry runs nothing is predicted.
  explicit Session(run::EngineLoader engine, predict::DryRunnerLoader dry_runner = {});

  // Asks for a run; a run in progress is cancelled. False, and nothing happens, when the
  // specification is impossible.
  bool start(const spec::WorkloadSpec& spec, const run::Protocol& protocol);
  // Asks for a comparison of two specifications by turns, on the same terms.
  bool start_comparison(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
                        const run::Protocol& protocol);
  // The newest comparison, as far as it is; null before the first and until another has begun.
  [[nodiscard]] const run::Comparison* comparison() const { return comparison_.get(); }
  // Why the newest comparison could not begin; empty when it did.
  [[nodiscard]] const base::Message& comparison_problem() const { return comparison_problem_; }
  [[nodiscard]] bool comparing() const { return busy_ && compares_; }
  // From now on runs are told what the device reaches, which is measured once.
  void want_roof() { wants_roof_ = true; }
  void cancel() { worker_.cancel(); }
  // The newest run that was asked for; 0: none yet.
  [[nodiscard]] run::RunId asked() const { return asked_; }
  // A run was asked for and has not ended.
  [[nodiscard]] bool busy() const { return busy_; }

  // Applies what the worker and the readers of files have told since the last time, in its order
  // and for about that long, one thing at least; the rest comes first the next time. True when
  // there was anything.
  bool update(std::int64_t budget_ns = std::numeric_limits<std::int64_t>::max());
  // Something of what was told is not applied yet.
  [[nodiscard]] bool behind() const { return applied_ < waiting_.size(); }

  [[nodiscard]] OpenedFiles& files() { return files_; }
  [[nodiscard]] const OpenedFiles& files() const { return files_; }

  [[nodiscard]] Predictions& predictions() { return predictions_; }
  // For dry runs on another thread than that of the predictions; may be empty.
  [[nodiscard]] const predict::DryRunnerLoader& dry_runner() const { return dry_runner_; }
  // The run on screen: the newest, or the one that show() was given.
  [[nodiscard]] const run::Run* run() const { return shown_ ? shown_.get() : run_.get(); }
  // The newest run, whatever is shown.
  [[nodiscard]] const run::Run* current() const { return run_.get(); }
  [[nodiscard]] std::shared_ptr<run::Run> share_current() const { return run_; }
  // Shows a run that has ended; null: the newest again.
  void show(std::shared_ptr<run::Run> run) { shown_ = std::move(run); }
  // Called with what every run tells, before it is taken over; for whoever writes runs to disk.
  std::function<void(run::RunId, const capture::Batch&)> on_batch;
  [[nodiscard]] const base::StringTable& strings() const { return strings_; }
  // For runs that are read from files: interned from any thread.
  [[nodiscard]] base::StringTable& strings() { return strings_; }
  [[nodiscard]] const spec::GpuCatalogue& gpus() const { return gpus_; }
  [[nodiscard]] const run::EngineInfo* engine() const { return engine_ ? &*engine_ : nullptr; }
  [[nodiscard]] const base::Message& engine_problem() const { return engine_problem_; }

 private:
  void apply(run::Update&& update);
  [[nodiscard]] std::int64_t capacity_for(const spec::WorkloadSpec& spec) const;

  base::StringTable strings_;
  run::UpdateQueue updates_;
  spec::GpuCatalogue gpus_;
  predict::DryRunnerLoader dry_runner_;
  std::optional<run::EngineInfo> engine_;
  base::Message engine_problem_;
  std::shared_ptr<run::Run> run_;
  std::shared_ptr<run::Run> shown_;
  std::vector<run::Update> waiting_;
  std::size_t applied_ = 0;  // of waiting_
  OpenedFiles files_;
  run::RunId asked_ = 0;
  bool busy_ = false;
  bool compares_ = false;  // what was asked for last is a comparison
  bool wants_roof_ = false;
  std::shared_ptr<const run::Comparison> comparison_;
  base::Message comparison_problem_;
  Predictions predictions_;
  run::Worker worker_;  // last: its thread ends before what it writes to
};

// Until the engine is loaded, or it is known why it cannot be, or Control-C is pressed, or it is
// that late.
void wait_for_engine(Session& session, std::chrono::steady_clock::time_point latest =
                                           std::chrono::steady_clock::time_point::max());

// Starts a run and waits for its end. Control-C cancels the run, which then ends as a result like
// any other. `progress` is called on this thread about ten times a second.
void run_to_end(Session& session, const spec::WorkloadSpec& spec, const run::Protocol& protocol,
                const std::function<void(const run::Run&)>& progress);

// The same for a comparison.
void compare_to_end(Session& session, const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
                    const run::Protocol& protocol,
                    const std::function<void(const run::Comparison&)>& progress);

}  // namespace ts::app
