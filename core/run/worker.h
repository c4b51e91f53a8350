#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>

#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/run/engine.h"
#include "core/run/update.h"
#include "core/spec/memory_limit.h"

namespace ts::run {

// Called once, on the worker thread, before the first run. The returned engine lives until the
// worker ends and is destroyed on that thread.
using EngineLoader = std::function<base::Result<std::unique_ptr<Engine>>()>;

// Runs with the same key have the same roof: device, type of the products, threads.
using RoofKey = std::tuple<spec::DeviceKind, std::int64_t, spec::DataType, std::int64_t>;
RoofKey roof_key(const spec::WorkloadSpec& spec);

struct RunRequest {
  spec::WorkloadSpec spec;
  Protocol protocol;
  std::int64_t target_capacity = 0;  // bytes of spec.target_gpu, from the catalogue; 0: no card
  // True if the run needs its roof. It is measured once for each key, which takes about a second:
  // after the run, so that it warms nothing up; before a run of many FLOPs, whose time can then be
  // estimated.
  bool wants_roof = false;
  std::optional<World> world =
      {};  // this process is one of several; the first run meets the others
};

// A against B, in alternation.
struct CompareRequest {
  struct Side {
    spec::WorkloadSpec spec;
    std::int64_t target_capacity = 0;  // as in RunRequest
  };
  std::array<Side, 2> sides;
  Protocol protocol;
  std::string own_instructions = {};  // Engine::use_instructions(), for this comparison
};

// The worker thread: loads the engine at once, then runs the newest request. A new request cancels
// the run in progress and replaces a waiting one. All results go to the queue. Public members may
// be called from any thread and never wait for the run. A comparison is a request like any other;
// it sends ComparisonUpdates and no StartedUpdate. Every request gets exactly one FinishedUpdate.
// One that was replaced or cancelled before it began is finished as cancelled and gets no
// StartedUpdate; one that begins without an engine is started and finishes as failed, with the
// reason.
class Worker {
 public:
  Worker(EngineLoader loader, base::StringTable& strings, UpdateQueue& updates);
  ~Worker();  // cancels, waits for the thread
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  RunId submit(RunRequest request);
  RunId submit(CompareRequest request);
  void cancel();  // the run in progress and a waiting one
  // True if a request waits or runs. If false, its FinishedUpdate is already in the queue.
  [[nodiscard]] bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::run
