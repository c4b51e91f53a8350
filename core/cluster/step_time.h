#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/cluster/links.h"
#include "core/predict/share.h"
#include "core/spec/workload_spec.h"

namespace ts::cluster {

// How cards are connected. Ranks of a tensor-parallel group are neighbours, then data-parallel
// ranks, then stages.
struct Wiring {
  std::int64_t node = 8;  // cards of a node
  Link inside;            // between cards of a node
  Link between;           // between nodes, of each card
};

// The wiring that may be chosen. An empty name: the catalogue's link for the card or network.
struct WiringChoice {
  std::int64_t node = 8;
  std::string inside;
  std::string between;
  bool operator==(const WiringChoice&) const = default;
};
// Fails for a name that is not in the catalogue. A card reaches the network through what connects
// it inside, so that link bounds both.
base::Result<Wiring> wiring_of(const LinkCatalogue& links, const std::string& card,
                               const WiringChoice& choice);

// A lower bound of a step on many cards. Seconds.
struct StepTime {
  double compute = 0;  // of a rank, by the roofs of its card
  double bubble = 0;   // stages that have nothing to do
  double exposed = 0;  // communication while nothing is computed
  [[nodiscard]] double total() const { return compute + bubble + exposed; }
};

// The time of a step's messages:
//   none, zero1  gradients in buckets of 25 MiB (the first 1 MiB), ready at even distances in the
//                backward, one at a time; with zero1 every parameter once more after the step
//   zero2        a block's parameters are gathered while the block before it computes; its
//   gradients
//                are reduced while the next one goes back
//   zero3        and gathered again in the backward, over the same link
//   tensor       two sums of the residual stream in the forward of a block, two in its backward,
//                which nothing hides
//   pipeline     with m micro-batches and p stages of equal work (m + p - 1) / m of the time
//                (Narayanan et al. 2019), and one send for each stage there and back
// `compute_s`: of the whole step on one card of this kind; a third of it is the forward.
// `parameters`: those of the whole model that have gradients, of `bytes` each.
StepTime step_time(const spec::WorkloadSpec& spec, const predict::Share& share,
                   const Wiring& wiring, double compute_s, double parameters, double bytes);

}  // namespace ts::cluster
