#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/phase.h"
#include "core/memory/allocation_log.h"
#include "core/memory/allocator_settings.h"
#include "core/run/dry_run.h"
#include "core/run/gpu_catalogue.h"
#include "core/run/verdict.h"

namespace ts::run {

// Where a workload would run: a card, or the CPU under a memory limit. Bytes.
struct PredictionTarget {
  DeviceKind kind = DeviceKind::cuda;
  std::string name;          // "RTX 4090", "memory_limit", "80 % of RAM"
  std::int64_t memory = 0;   // of the device
  std::int64_t context = 0;  // taken by the CUDA context before the first tensor; 0 on the CPU
  std::int32_t compute_capability = 80;  // major * 10 + minor; cuda only
  // What the allocator can hold.
  [[nodiscard]] std::int64_t capacity() const { return memory - context; }
};
PredictionTarget target_of(const Gpu& gpu);
PredictionTarget cpu_target(std::string name, std::int64_t memory_limit);

enum class Fit : std::uint8_t {
  fits,
  fits_after_flush,  // only because the allocator gives cached segments back and tries again: slow
  oom,
};
const char* to_string(Fit value);  // fits, "fits but must flush and retry", oom

// The allocation that the target cannot serve.
struct BreakingAllocation {
  memory::EventIndex event = memory::kNone;  // of DryRun::log
  std::string op;
  std::string module;
  base::Phase phase = base::Phase::setup;
  std::int32_t step = -1;
  std::int64_t bytes = 0;       // asked
  std::int64_t free = 0;        // not reserved yet, plus free in the cache
  std::int64_t fragmented = 0;  // the part of `free` that lies in blocks too small for it
};

struct Prediction {
  // As far as the dry run goes, on a device without limit. Allocated and reserved as PyTorch counts
  // them: blocks as rounded by the allocator, and the segments they lie in. cpu: bytes asked,
  // twice.
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t peak_requested = 0;                // before rounding
  memory::EventIndex peak_event = memory::kNone;  // of peak_requested
  memory::CategoryBytes by_category{};  // at peak_event, bytes asked; adds up to peak_requested
  // Bytes alive only inside CUDA kernels, which no dry run sees (assets/cuda_scratch.json), on top
  // of the peak: at least and at most. Not in any figure above.
  std::int64_t scratch_low = 0;
  std::int64_t scratch_high = 0;

  std::int64_t needed = 0;    // peak_reserved + context: what the device must have
  std::int64_t headroom = 0;  // memory of the target less needed; negative: missing
  Fit fit = Fit::fits;
  std::int64_t retries = 0;                    // times the cache was flushed
  std::optional<BreakingAllocation> breaking;  // when fit is oom
  Message sentence;                            // the verdict in plain words
};

// Feeds the log through PyTorch's caching allocator (cuda) or a plain limit (cpu). Pure; any
// thread. `strings` is the table the dry run was made with.
Prediction predict(const DryRun& run, const base::StringTable& strings,
                   const PredictionTarget& target, const memory::AllocatorSettings& settings);

}  // namespace ts::run
