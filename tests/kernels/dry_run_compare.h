#pragma once

#include <string>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/predict/dry_run.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {

// One event of a log in words that do not depend on its string table.
struct SeenEvent {
  bool alloc = false;
  std::int64_t size = 0;
  std::string op;
  std::string module;
  memory::Category category = memory::Category::unknown;
  base::Phase phase = base::Phase::setup;
  std::int32_t step = -1;
  bool short_lived = false;  // its block was freed in the phase and by the operator that made it

  // Compares the parts that must agree between a prediction and a run.
  [[nodiscard]] bool same(const SeenEvent& other) const {
    return alloc == other.alloc && size == other.size && op == other.op;
  }
  [[nodiscard]] std::string text() const;
};
std::vector<SeenEvent> seen_events(const memory::AllocationLog& log,
                                   const base::StringTable& strings);

// Takes out what is explained and cannot agree event by event:
//   aten::_scaled_dot_product_flash_attention_for_cpu_backward  each thread that gets a head to
//   work
//     on makes a buffer of one number a query of its tile (at most 1 KiB); those of pool threads
//     carry no module, and how many threads get one, and when, is not the same twice. In bf16 also
//     the scratch of its products, tile by tile; predicted is one of the largest a thread.
// And sorts what is let go of at the end of autocast.
std::vector<SeenEvent> without_explained(std::vector<SeenEvent> events);

// At most what they are to the peak.
std::int64_t explained_bytes(const memory::AllocationLog& log, const base::StringTable& strings);

// Where two sequences part, with a few events before and after; empty when they agree.
std::string first_difference(const std::vector<SeenEvent>& predicted,
                             const std::vector<SeenEvent>& measured);

// A real recorded run of the spec on the CPU, set-up and `steps` steps.
struct RealRun {
  // With room for the records of a small run: the pages of larger rings take most of its time.
  explicit RealRun(std::size_t ring_records = 1U << 15) : recorded(ring_records) {}

  Recorded recorded;
  std::int64_t peak = 0;
  std::int64_t parameters = 0;
  std::string backend;
  std::vector<run::NamedType> types;
};
// Why it failed; empty when it did not.
std::string try_for_real(const spec::WorkloadSpec& spec, int steps, RealRun& run);
void run_for_real(const spec::WorkloadSpec& spec, int steps, RealRun& run);

predict::DryRunner& dry_runner();

}  // namespace ts::kernels
