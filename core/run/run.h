#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/allocation_log.h"
#include "core/run/recording_cost.h"
#include "core/run/update.h"
#include "core/spec/gpu_catalogue.h"
#include "core/trace/kernel_launch.h"
#include "core/trace/trace_store.h"

namespace ts::run {

// The drift between clocks, in ns, from which it is reported: kernels are shorter.
inline constexpr std::int64_t kReportedDrift = 10'000;

// The record of one execution, which grows during the run: built by applying the worker's updates
// in order. One owner thread (the window, or the command line's main thread).
class Run {
 public:
  explicit Run(const StartedUpdate& started);

  // Applies an update of this run; updates of other runs and EngineUpdate are ignored.
  void apply(Update&& update);

  RunId id = 0;
  spec::WorkloadSpec spec;
  Protocol protocol;
  std::int64_t limit = 0;
  std::string limit_source;
  std::int64_t target_capacity = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  Stage stage = Stage::waiting;
  float fraction = 0;
  double seconds_left = -1;
  bool finished = false;
  Verdict verdict = Verdict::ok;
  Failure failure;
  ExecutionFacts facts;
  bool warmup_stable = true;
  std::string device_name;
  std::string script;  // the file of a script that was recorded; then `spec` has its device alone
  ScriptNotes notes;   // of such a script, when it has ended
  std::int64_t earlier_runs = 0;      // of this process: they warmed up libraries and allocator
  std::optional<Roof> roof;           // measured once for each device and type
  std::optional<ValueErrors> values;  // where the protocol asks for them
  std::optional<spec::Gpu> card;      // of the catalogue, if it has the device

  std::vector<StepTimes> recorded_steps;
  std::vector<StepTimes> warmup_steps;
  std::vector<StepTimes> timed_steps;
  std::vector<StepTimes> probe_steps;

  trace::TraceStore trace;
  trace::KernelLaunches launches;  // of the kernels in the trace
  memory::AllocationLog memory;
  // The number of lost records: trace and log have gaps, and results from them may be wrong.
  std::uint64_t dropped = 0;
  std::int64_t allocator_peak = 0;  // by the allocator's own count; 0: not reported
  // The largest drift between the clock of the GPU's records and ours within a recording; a kernel
  // may appear this far from the call that launched it. See kReportedDrift.
  std::int64_t clock_drift_ns = 0;
  // The record of the device's own allocator; null if it is not PyTorch's.
  std::shared_ptr<const allocator::Snapshot> snapshot;

  // All slices and memory events together. Empty when there is nothing yet. Its begin is the zero
  // of all times shown.
  [[nodiscard]] base::TimeRange range() const;
  // Statistics of the samples so far; unset until there are samples.
  [[nodiscard]] TimingSummary timing() const { return timing_of(&StepTimes::total_ns); }
  // The summary of one part: forward_ns, backward_ns, ... A part the pass lacks has n = 0.
  [[nodiscard]] TimingSummary timing_of(std::int64_t StepTimes::*part) const;
  // The most bytes that were live at once: the allocator's count, which lost records do not change.
  // By the log until that count is reported, and in files.
  [[nodiscard]] std::int64_t peak_allocated() const;
  // Rates are the work of one step over the median step time.
  [[nodiscard]] std::optional<double> tokens_per_s() const;
  // Pass generate: new tokens of all sequences but the first ones, over the median decode time.
  [[nodiscard]] std::optional<double> decode_tokens_per_s() const;
  [[nodiscard]] double flops() const;  // of one step, by formula, with the backend that ran
  [[nodiscard]] std::optional<double> tflops_per_s() const;
  [[nodiscard]] std::optional<RecordingCost> recording_cost() const;
  // Median of the time that a step's calls took, without waiting for the device: the result of a
  // clock that is read too early. Unset on cpu, where calls return with their result.
  [[nodiscard]] std::optional<double> unsynchronised_ms() const;

 private:
  void add(const capture::Batch& batch);
  std::vector<StepTimes>& steps_of(SampleUpdate::Kind kind);
  void finish(FinishedUpdate&& end);
};

}  // namespace ts::run
