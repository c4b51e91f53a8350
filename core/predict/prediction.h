#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/allocator/allocator_settings.h"
#include "core/base/message.h"
#include "core/base/phase.h"
#include "core/memory/allocation_log.h"
#include "core/predict/cuda_scratch.h"
#include "core/predict/dry_run.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::predict {

// Where a workload would run: a card, or the CPU under a memory limit. Bytes.
struct PredictionTarget {
  spec::DeviceKind kind = spec::DeviceKind::cuda;
  std::string name;                      // "RTX 4090", "memory_limit", "80 % of RAM"
  std::int64_t memory = 0;               // of the device
  std::int64_t context = 0;              // taken by CUDA before the first tensor; 0 on the CPU
  std::int32_t compute_capability = 80;  // major * 10 + minor; cuda only
  std::int32_t multiprocessors = 108;    // cuda only
  std::optional<spec::Gpu> card;         // of the catalogue; unset on the CPU
  // The bytes that the allocator can hold.
  [[nodiscard]] std::int64_t capacity() const { return memory - context; }
};

// The memory of a CUDA context with PyTorch's kernels, in addition to the allocator's. Measured by
// others with PyTorch 2.10 and CUDA 13.0 on an RTX 6000 Ada (unsloth-zoo issue 1053); 256 to 400
// MiB are reported for older versions (pytorch issues 107667 and 109888). It grows as kernels are
// loaded.
inline constexpr std::int64_t kContextBytes = std::int64_t{426} << 20;

PredictionTarget target_of(const spec::Gpu& gpu);
// The card under the workload's memory_limit. The limit applies to the allocator alone, so the
// context does not count towards it. A limit above what the card leaves to the allocator has no
// effect.
PredictionTarget target_of(const spec::Gpu& gpu, const spec::WorkloadSpec& spec);
PredictionTarget cpu_target(std::string name, std::int64_t memory_limit);
// A prediction for one target holds for the other.
bool same_memory(const PredictionTarget& a, const PredictionTarget& b);
// The options of a dry run for a prediction there.
DryRunOptions dry_run_options(const PredictionTarget& target);

enum class Fit : std::uint8_t {
  fits,
  fits_after_flush,  // only because the allocator gives cached segments back and tries again: slow
  oom,
};
const char* to_string(Fit value);  // fits fits_after_flush oom

// The allocation that the target cannot serve.
struct BreakingAllocation {
  memory::EventIndex event = memory::kNone;  // of DryRun::log
  std::string op;
  std::string module;
  base::Phase phase = base::Phase::setup;
  std::int32_t step = -1;
  std::int64_t bytes = 0;       // requested
  std::int64_t free = 0;        // of the capacity, after the cache was flushed
  std::int64_t fragmented = 0;  // the part of `free` inside segments that are in use
};

// The memory that a device must have, part by part, in bytes. Each part is at least 0, and they add
// up to the need. On cpu there are only tensors.
struct NeedChain {
  std::int64_t tensors = 0;     // what the workload requests when most is allocated
  std::int64_t rounding = 0;    // up to the allocator's sizes of blocks
  std::int64_t workspaces = 0;  // those of cuBLAS that exist at that moment
  std::int64_t cached = 0;      // reserved beyond what is allocated then
  std::int64_t context = 0;
  [[nodiscard]] std::int64_t allocated() const { return tensors + rounding + workspaces; }
  [[nodiscard]] std::int64_t reserved() const { return allocated() + cached; }
  [[nodiscard]] std::int64_t needed() const { return reserved() + context; }
};

struct Prediction {
  // Allocated and reserved as PyTorch counts them on cuda: blocks as the allocator rounds them, and
  // the segments in which they lie. On cpu both are the requested bytes. For oom as if the device
  // had no limit.
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  // Bytes that the workload's own tensors request at their peak, before any rounding.
  std::int64_t peak_requested = 0;
  // Allocated when the last backward begins, as memory_allocated() returns there; unset without
  // one. For oom as if the device had no limit.
  std::optional<std::int64_t> before_backward;
  // The most allocated until the end of the first step, whose forward and backward have no
  // optimizer state yet; unset where the peak lies there. For oom as if the device had no limit.
  std::optional<std::int64_t> first_step;
  // Bytes that every step leaves behind, requested; 0 in a loop without mistakes. All other figures
  // are those of the steps of the dry run.
  std::int64_t growth = 0;
  memory::EventIndex peak_event = memory::kNone;  // of DryRun::log, at peak_requested
  memory::CategoryBytes by_category{};            // at peak_event; adds up to peak_requested
  // Workspaces of cuBLAS, which takes them from the allocator and keeps them: in peak_allocated and
  // peak_reserved, in no category. cuda only.
  std::int64_t workspaces = 0;
  // Bytes that live only inside CUDA kernels, which no dry run sees: the least and the most that
  // they add to peak_requested. Not in any other figure. cuda only.
  std::int64_t scratch_low = 0;
  std::int64_t scratch_high = 0;

  NeedChain chain;            // allocated() is peak_allocated, reserved() is peak_reserved
  std::int64_t needed = 0;    // peak_reserved + context: what the device must have
  std::int64_t headroom = 0;  // memory of the target minus needed; negative: missing
  Fit fit = Fit::fits;
  std::int64_t retries = 0;                    // number of cache flushes to make room
  std::optional<BreakingAllocation> breaking;  // when fit is oom
  base::Message sentence;                      // the verdict in plain words, keys prediction.*
  base::Message unchecked;  // what was never compared with a real run; empty where all was
};

// The allocator's settings on the target card; the defaults if the string cannot be read, which
// validate() reports.
allocator::AllocatorSettings allocator_settings_of(const spec::WorkloadSpec& spec);

// Feeds the log in order through a model of PyTorch's caching allocator (cuda) or a plain limit
// (cpu). Pure; any thread. `strings` is the table the dry run was made with; `scratch` may be null.
Prediction predict(const DryRun& run, const base::StringTable& strings,
                   const PredictionTarget& target, const allocator::AllocatorSettings& settings,
                   const CudaScratch* scratch);

}  // namespace ts::predict
