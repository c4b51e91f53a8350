#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/kept_runs.h"
#include "app/session/opened_files.h"
#include "app/session/predictions.h"
#include "core/base/message.h"
#include "core/base/string_table.h"
#include "core/live/reception.h"
#include "core/report/roofs.h"
#include "core/run/compare.h"
#include "core/run/run.h"
#include "core/run/worker.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// The program's state without any drawing: the worker, its results so far, and the run on screen.
// Used by the window and the commands. One owner thread.
class Session {
 public:
  // Without a loader of dry runs there are no predictions.
  explicit Session(run::EngineLoader engine, predict::DryRunnerLoader dry_runner = {});

  // Requests a run; a run in progress is cancelled. Returns false and does nothing when the
  // specification is impossible.
  bool start(const spec::WorkloadSpec& spec, const run::Protocol& protocol);
  // Requests a comparison of two specifications by turns, under the same conditions.
  bool start_comparison(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
                        const run::Protocol& protocol);
  // The newest comparison with its progress; null before the first and until another has started.
  [[nodiscard]] const run::Comparison* comparison() const { return comparison_.get(); }
  // Shows one that was kept as the newest; only while nothing runs.
  void show_comparison(std::shared_ptr<const run::Comparison> comparison);
  // The reason why the newest comparison could not start; empty when it did.
  [[nodiscard]] const base::Message& comparison_problem() const { return comparison_problem_; }
  [[nodiscard]] bool comparing() const { return busy_ && compares_; }
  // From now on comparisons allow our kernels no instructions beyond these, as
  // run::Engine::use_instructions() does.
  void use_instructions(std::string name) { own_instructions_ = std::move(name); }
  // From now on runs receive the roof of the device, which is measured once.
  void want_roof() { wants_roof_ = true; }
  // From now on runs are those of one of several ranks; the first one meets the others.
  void set_world(const run::World& world) { world_ = world; }
  // The roof that runs of this specification get; null: not measured yet.
  [[nodiscard]] const run::Roof* roof_of(const spec::WorkloadSpec& spec) const;
  void cancel() { worker_.cancel(); }
  // The newest requested run; 0: none yet.
  [[nodiscard]] run::RunId asked() const { return asked_; }
  // A requested run has not ended.
  [[nodiscard]] bool busy() const { return busy_; }

  // Applies messages received from the worker and the file readers since the last call, in order
  // and for about that long, but at least one; the rest comes first at the next call. True when
  // there was any.
  bool update(std::int64_t budget_ns = std::numeric_limits<std::int64_t>::max());
  // Some received messages are not applied yet.
  [[nodiscard]] bool behind() const { return applied_ < waiting_.size(); }

  // From now on scripts that are recorded with --live show themselves among the files. The error
  // says why they cannot.
  base::Result<void> listen(const std::filesystem::path& folder);

  [[nodiscard]] OpenedFiles& files() { return files_; }
  [[nodiscard]] const OpenedFiles& files() const { return files_; }

  [[nodiscard]] KeptRuns& kept_runs() { return kept_runs_; }
  [[nodiscard]] const KeptRuns& kept_runs() const { return kept_runs_; }

  [[nodiscard]] Predictions& predictions() { return predictions_; }
  // For dry runs on threads other than the prediction thread; may be empty.
  [[nodiscard]] const predict::DryRunnerLoader& dry_runner() const { return dry_runner_; }
  // The run on screen: the newest, or the one given to show(). Null: none, or it is hidden.
  [[nodiscard]] const run::Run* run() const {
    return hidden_ ? nullptr : shown_ ? shown_.get() : run_.get();
  }
  // The newest run, whatever is shown.
  [[nodiscard]] const run::Run* current() const { return run_.get(); }
  [[nodiscard]] std::shared_ptr<run::Run> share_current() const { return run_; }
  // The run of run(), kept for readers on other threads.
  [[nodiscard]] std::shared_ptr<const run::Run> share_shown() const {
    return hidden_ ? nullptr : shown_ ? shown_ : run_;
  }
  // Shows a finished run; null: the newest again. Returns the one shown before, null likewise.
  std::shared_ptr<run::Run> show(std::shared_ptr<run::Run> run) {
    hidden_ = false;
    return std::exchange(shown_, std::move(run));
  }
  // For a prediction that no run stands beside. Starting or showing one ends it.
  void hide_run(bool hidden) { hidden_ = hidden; }
  // Called with every batch of a run before it is applied; for code that writes runs to disk.
  std::function<void(run::RunId, const capture::Batch&)> on_batch;
  [[nodiscard]] const base::StringTable& strings() const { return strings_; }
  // For runs that are read from files: any thread may intern strings.
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
  bool hidden_ = false;
  std::vector<run::Update> waiting_;
  std::size_t applied_ = 0;  // of waiting_
  OpenedFiles files_;
  std::unique_ptr<live::Reception> reception_;
  KeptRuns kept_runs_;
  run::RunId asked_ = 0;
  bool busy_ = false;
  bool compares_ = false;  // the last request was a comparison
  bool wants_roof_ = false;
  std::string own_instructions_;
  std::optional<run::World> world_;
  std::map<run::RoofKey, run::Roof> roofs_;  // those of runs so far
  std::shared_ptr<const run::Comparison> comparison_;
  base::Message comparison_problem_;
  Predictions predictions_;
  run::Worker worker_;  // last: its thread ends before what it writes to
};

// Waits until the engine is loaded or known to be unavailable, Control-C is pressed, or the time
// `latest` has come.
void wait_for_engine(Session& session, std::chrono::steady_clock::time_point latest =
                                           std::chrono::steady_clock::time_point::max());

// Starts a run and waits for its end. Control-C cancels the run; a cancelled run is a result like
// any other. `progress` is called on this thread about ten times a second.
void run_to_end(Session& session, const spec::WorkloadSpec& spec, const run::Protocol& protocol,
                const std::function<void(const run::Run&)>& progress);

// The same for a comparison.
void compare_to_end(Session& session, const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
                    const run::Protocol& protocol,
                    const std::function<void(const run::Comparison&)>& progress);

// The same where only a comparison of all pairs is of use: the error is why it did not start, or
// what ended it. Valid until the next one.
base::Result<const run::Comparison*> whole_comparison(
    Session& session, const spec::WorkloadSpec& a, const spec::WorkloadSpec& b,
    const run::Protocol& protocol,
    const std::function<void(const run::Comparison&)>& progress = [](const run::Comparison&) {});

// The roofs of the machine for a specification, which come with a short run of it.
base::Result<report::Roofs> measured_roofs(Session& session, const spec::WorkloadSpec& spec);

}  // namespace ts::app
