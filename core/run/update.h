#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/message.h"
#include "core/capture/collector.h"
#include "core/run/engine.h"
#include "core/run/protocol.h"

namespace ts::run {

struct Comparison;

using RunId = std::uint64_t;

enum class Stage : std::uint8_t {
  waiting,
  loading_engine,
  compiling,  // the step, ahead of time
  preparing,
  recording,
  warmup,
  timing,
  roof,
  values,  // against a reference
  done
};
const char* to_string(Stage value);  // "waiting", "loading the engine", ...

// The messages of the worker to the window, in order. Applied to a Run by Run::apply.
struct EngineUpdate {  // the engine was loaded, or could not be
  std::optional<EngineInfo> info;
  base::Message error;
};
struct StartedUpdate {
  RunId id = 0;
  spec::WorkloadSpec spec;
  Protocol protocol;
  std::int64_t limit = 0;    // bytes the allocator may hold
  std::string limit_source;  // its source: "RTX 4090", "80 % of RAM", "memory_limit"
  std::int64_t begin_ns = 0;
  std::int64_t target_capacity = 0;  // bytes of spec.target_gpu; 0: no such card
  std::string device_name = {};      // empty: there is no such device
  std::int64_t earlier_runs = 0;     // since the engine was loaded
};
struct ProgressUpdate {
  RunId id = 0;
  Stage stage = Stage::waiting;
  float fraction = 0;        // of the whole run, 0..1
  double seconds_left = -1;  // negative: not known yet
};
struct BatchUpdate {
  RunId id = 0;
  capture::Batch batch;
};
struct FactsUpdate {
  RunId id = 0;
  ExecutionFacts facts;
};
struct SnapshotUpdate {
  RunId id = 0;
  std::shared_ptr<const allocator::Snapshot> snapshot;
};
struct PeakUpdate {  // of the live bytes so far, by the allocator's own count
  RunId id = 0;
  std::int64_t bytes = 0;
};
struct RoofUpdate {
  RunId id = 0;
  Roof roof;
};
struct ValuesUpdate {
  RunId id = 0;
  ValueErrors errors;
};
struct SampleUpdate {
  RunId id = 0;
  StepTimes times;
  enum class Kind : std::uint8_t { recorded, warmup, timed, probe } kind = Kind::timed;
};
// Notes of a script's recorder at its end, which no record contains.
struct ScriptNotes {
  // A part of a model that no optimizer of the script changes, although work is done for that.
  struct IdlePart {
    std::string module;               // its path
    std::vector<std::string> inside;  // its path, those of all modules in it, its own parameters
    bool gradients = false;  // its parameters get gradients; false: they are frozen, and what goes
                             // in requires a gradient that no parameter gets
  };
  std::vector<IdlePart> idle_parts;
  // Steps before the newest two whose loss still had its graph, at most at the end of a step.
  std::int64_t kept_graphs = 0;
};
struct FinishedUpdate {
  RunId id = 0;
  Verdict verdict = Verdict::ok;
  Failure failure;  // when verdict is not ok
  std::int64_t end_ns = 0;
  bool warmup_stable = true;
  ScriptNotes notes = {};
};
// A comparison so far; the last one before its FinishedUpdate is complete.
struct ComparisonUpdate {
  RunId id = 0;
  std::shared_ptr<const Comparison> comparison;  // core/run/compare.h
};
using Update = std::variant<EngineUpdate, StartedUpdate, ProgressUpdate, BatchUpdate, FactsUpdate,
                            SnapshotUpdate, PeakUpdate, RoofUpdate, ValuesUpdate, SampleUpdate,
                            ComparisonUpdate, FinishedUpdate>;

// The queue from worker and collector to the window: any thread pushes, one thread takes all
// waiting updates once a frame. The records of batches beyond `max_bytes` waiting are discarded and
// counted as dropped, here and in the batch's own count; all other updates are always kept.
class UpdateQueue {
 public:
  explicit UpdateQueue(std::size_t max_bytes = std::size_t{256} << 20) : max_bytes_(max_bytes) {}
  void push(Update update);
  void take(std::vector<Update>& out);  // out is replaced
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  mutable std::mutex mutex_;
  std::size_t max_bytes_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t dropped_ = 0;
  RunId counted_run_ = 0;  // the run that dropped_of_run_ counts: runs come one after the other
  std::uint64_t dropped_of_run_ = 0;
  std::vector<Update> waiting_;
};

}  // namespace ts::run
