#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/predict/prediction.h"

namespace ts::predict {

// Single changes that could make a step fit that does not fit.
enum class RemedyKind : std::uint8_t {
  flash,                // attention that never stores the scores
  efficient,            // the same, by xFormers; accepts fp32 too
  tiled,                // the same, by this project: only if it fits and runs here
  automatic,            // LibTorch's choice: the same
  autocast_bf16,        // matrix products in bf16
  bf16,                 // everything in bf16
  checkpoint_blocks,    // every block is run again in the backward
  adapters,             // LoRA: only adapters of rank 16 are trained, as another algorithm
  smaller_batch,        // B halved until it fits, with as many more micro-batches
  fused_optimizer,      // AdamW without temporaries
  moments_8bit,         // AdamW with moments of 8 bits
  sgd,                  // no optimizer state
  expandable_segments,  // of the allocator; saves the loss by fragmentation
};
const char* to_string(RemedyKind kind);  // flash efficient autocast_bf16 ...

// A change with its dry run.
struct Remedy {
  RemedyKind kind = RemedyKind::flash;
  spec::WorkloadSpec spec;  // with the change
  std::int64_t needed = 0;
  Fit fit = Fit::fits;
  // Time of a step with the change over that without, both estimated; unset if there is no
  // estimate.
  std::optional<double> time_ratio;
  bool runs_here = true;  // false: only the target can run it, not the device of the settings
  bool current = true;    // false: from an earlier request
};

// A change that is possible for a spec on the kind of device of the target, and that has an effect;
// smaller_batch with half of B.
struct Change {
  RemedyKind kind;
  spec::WorkloadSpec spec;
};
std::vector<Change> changes_for(const spec::WorkloadSpec& spec, spec::DeviceKind device);

// An estimate of a step's time on a card, only for comparing a spec with similar ones: matrix
// products at the card's dense peak for their type; each block of the last step written once and
// read once at the card's bandwidth; parameters read three times, frozen ones twice, and the reads
// and writes of the optimizer. Launches, caches and the efficiency of kernels are not included.
// Nothing if the catalogue has no peak.
std::optional<double> estimated_step_s(const DryRun& run, const spec::Gpu& card);

}  // namespace ts::predict
