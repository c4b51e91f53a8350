#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/base/result.h"
#include "core/loader/caches.h"
#include "core/loader/data_set.h"
#include "core/loader/order.h"
#include "core/loader/plan.h"
#include "core/simulate/simulation.h"

namespace ts::loader {

// Which samples are in which batch: epoch after epoch, until there are as many batches as planned.
std::vector<Batch> planned_batches(const Plan& plan, const DataSet& set);

// Seconds since loading began.
struct LoadedStep {
  double made = 0;   // a worker began the batch
  double asked = 0;  // the step before had ended, and the batch was asked for
  double begin = 0;
  double end = 0;
};

// Seconds of all workers together.
struct WorkerTimes {
  double read = 0, decode = 0, resize = 0, assemble = 0;
  double processor = 0;  // of these: computing, by the clocks of the threads
  double queued = 0;     // of these: waiting for a core; 0 where the system does not tell
  double idle = 0;       // waiting for room
  double handover = 0;   // from the end of a batch in a process until it was here
  [[nodiscard]] double busy() const { return read + decode + resize + assemble; }
  // Had every worker a core of its own.
  [[nodiscard]] double alone() const { return std::max(processor, busy() - queued); }
};

// The measurements of a load.
struct Loaded {
  Plan plan;
  std::vector<LoadedStep> steps = {};
  WorkerTimes times = {};
  std::uint64_t samples = 0;               // that are in batches
  std::uint64_t tokens = 0;                // of them
  std::uint64_t left_out = 0;              // that could not be read or decoded
  std::uint64_t bytes = 0;                 // read from the data set
  std::uint64_t preloaded = 0;             // bytes of samples that stayed in memory
  std::uint64_t in_cache = 0;              // of mapped files, in memory at the end
  std::uint64_t ended = 0;                 // workers that ended early
  std::uint64_t handed = 0;                // bytes of batches that came from processes
  std::uint64_t resident = 0;              // most memory of the processes, all together
  std::vector<base::Message> faults = {};  // the first kMostFaults, and archives without samples
  ImageCaches::Counts caches = {};
  bool steps_work = false;  // they are no pauses
  std::size_t cores = 1;    // that this process may use
  std::vector<simulate::Lane> lanes = {};
  std::vector<simulate::Interval> timeline = {};
};
inline constexpr std::size_t kMostFaults = 20;
inline constexpr std::uint64_t kMostPreloaded = 4ULL << 30U;  // bytes

struct LoadRequest {
  Plan plan;
  const DataSet* set = nullptr;
  // A step with batch number `batch`, on the thread that called load(); empty: a pause of
  // plan.step_s.
  std::function<void(std::size_t batch)> step = {};
  // The folder of the cache on the disk; empty, and removed by the caller.
  std::filesystem::path cache_folder = {};
  std::function<void(std::size_t steps)> told = {};
  // The program and its arguments that make a process call serve_batches() with the same plan;
  // empty: workers cannot be processes.
  std::vector<std::string> worker_text = {};
};

// Loads the batches with threads of its own, or processes, and does the steps on this one. What
// cannot be read is named, counted and left out; a worker that ends early has its batch made by
// another one, and where none is left this thread loads. An error: cancelled, more than
// kMostPreloaded are to be kept in memory, or no process can be started.
base::Result<Loaded> load(const LoadRequest& request, const base::CancelToken& cancel);

}  // namespace ts::loader
