#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"
#include "core/predict/share.h"
#include "core/run/engine.h"
#include "core/spec/workload_spec.h"

namespace ts::predict {

// A dry run executes the workload's own code on tensors without data ("meta"): nothing is computed
// and nothing large is allocated, but every block that a real run would allocate and free is
// recorded.

struct DryRunOptions {
  // Full steps after the set-up. Two are enough: optimizer state appears in the first, and
  // gradients of the first are freed in the second. Where every step leaves its graph behind
  // (spec::keeps_graphs) at least as many as a run records.
  std::int32_t steps = 2;
  // The device whose memory is predicted. cpu: the blocks that this engine's CPU allocator hands
  // out on this machine. cuda: the blocks that PyTorch 2.11 requests from its CUDA caching
  // allocator. They differ where the two devices run different code behind the same operator
  // (attention kernels, boxed numbers, scratch).
  spec::DeviceKind rules = spec::DeviceKind::cuda;
  // The card's, major * 10 + minor (RTX 4090: 89); it determines the attention kernel. cuda only.
  std::int32_t compute_capability = 80;
  // The card's; they determine how a long sum is divided. cuda only.
  std::int32_t multiprocessors = 108;
  // The part of one rank. Buckets of DistributedDataParallel are not in the log: see
  // dry_run_of_rank().
  Share share = {};
};

// The result of a dry run.
struct DryRun {
  spec::WorkloadSpec spec;
  DryRunOptions options;
  // Set-up (step -1), then steps 0, 1, ...; sizes are the requested bytes, before the rounding of
  // any allocator; blocks of 0 bytes are left out. Names are in the string table that was given. A
  // dry run has no clock: its times only count events, from kEventSpacing on in steps of
  // kEventSpacing.
  memory::AllocationLog log;
  std::int64_t parameters = 0;  // counted from the tensors
  std::int64_t trained = 0;     // of them: those that are not frozen
  std::string backend;  // attention kernel that runs: naive math flash efficient cudnn, or ""
  // The types in which a step computes on the rules' device, as in ExecutionFacts.
  std::vector<run::NamedType> types;
  // A real run's peak may be up to this many bytes below that of `log`: blocks that threads make
  // for themselves, which need not all live at once. cpu only.
  std::int64_t apart_bytes = 0;
  // Operators that took blocks which are not known: a run's may be others.
  std::vector<std::string> unknown_operators;
  std::string torch;             // "2.15": the minor whose operators ran; empty if unknown
  std::int64_t duration_ns = 0;  // how long the dry run took

  static constexpr std::int64_t kEventSpacing = 1000;  // ns
};

// Makes dry runs. Implemented by libtensorscope_kernels.so; fakes in tests. One thread at a time
// may use it, which may be another thread than the Engine's, at the same time. Neither affects the
// records, counters or settings of the other.
class DryRunner {
 public:
  virtual ~DryRunner() = default;
  // Operator and module names go into `strings`, which outlives the log. A failure is `cancelled`,
  // or `failed` with the reason, such as a spec that the rules' device cannot run. There is no
  // limit on bytes. The token is checked at every module.
  virtual run::Outcome<DryRun> dry_run(const spec::WorkloadSpec& spec, const DryRunOptions& options,
                                       base::StringTable& strings,
                                       const base::CancelToken& cancel) = 0;
};

// The third symbol of libtensorscope_kernels.so, besides the two of engine.h. Null if LibTorch
// cannot be started.
inline constexpr const char* kDryRunnerCreateSymbol = "tensorscope_dry_runner_create";

// Called once, on the thread that will use the dry runner.
using DryRunnerLoader = std::function<base::Result<std::unique_ptr<DryRunner>>()>;

}  // namespace ts::predict
