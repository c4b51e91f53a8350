#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/predict/prediction.h"

namespace ts::predict {

// One change each that could make a step fit where it does not.
enum class RemedyKind : std::uint8_t {
  flash,                // attention that never stores the scores
  efficient,            // the same, of xFormers; takes fp32 too
  tiled,                // the same, of ours: offered only where it fits and runs here
  automatic,            // what LibTorch chooses: as well
  autocast_bf16,        // matrix products in bf16
  bf16,                 // everything in bf16
  checkpoint_blocks,    // every block is run again in the backward
  smaller_batch,        // B halved until it fits, with as many more micro-batches
  fused_optimizer,      // AdamW without temporaries
  sgd,                  // no optimizer state
  expandable_segments,  // of the allocator; saves what is lost to fragmentation
};
const char* to_string(RemedyKind kind);  // flash efficient autocast_bf16 ...

// A change, dry-run.
struct Remedy {
  RemedyKind kind = RemedyKind::flash;
  spec::WorkloadSpec spec;  // with the change
  std::int64_t needed = 0;
  Fit fit = Fit::fits;
  // Time of a step with the change by that without, both estimated; unset where there is no
  // estimate.
  std::optional<double> time_ratio;
  bool runs_here = true;  // false: only the target could run it, not the device of the settings
  bool current = true;    // false: still that of an earlier request
};

// The changes that are possible for a spec on the kind of device that the target is, and that
// change something; smaller_batch with half of B.
struct Change {
  RemedyKind kind;
  spec::WorkloadSpec spec;
};
std::vector<Change> changes_for(const spec::WorkloadSpec& spec, spec::DeviceKind device);

// An estimate of a step's time on a card, good for comparing a spec with its like and for nothing
// else: matrix products at the card's dense peak for their type; each block of the last step
// written once and read once at the card's bandwidth; parameters read three times, and what the
// optimizer reads and writes. Launches, caches and how well a kernel uses the card are not in it.
// Nothing where the catalogue has no peak.
std::optional<double> estimated_step_s(const DryRun& run, const spec::Gpu& card);

}  // namespace ts::predict
