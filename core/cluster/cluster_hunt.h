#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/cluster/step_time.h"
#include "core/io/text_table.h"
#include "core/predict/data_parallel.h"
#include "core/predict/prediction.h"
#include "core/report/roofs.h"
#include "core/text/text.h"

namespace ts::cluster {

// "Which is the smallest cluster on which this fits, and what does each mode cost?"
struct ClusterRequest {
  spec::WorkloadSpec spec;  // what one data-parallel rank does in a step
  predict::PredictionTarget target;
  report::Roofs roofs = {};
  Wiring wiring = {};
  std::int64_t most = 64;  // cards
};
// With the roofs of the target's card. Fails for a target that is no card, and as wiring_of().
base::Result<ClusterRequest> cluster_request(const spec::WorkloadSpec& spec,
                                             const predict::PredictionTarget& target,
                                             const LinkCatalogue& links, const WiringChoice& wiring,
                                             std::int64_t most);

enum class Mode : std::uint8_t {
  data_parallel,
  zero1,
  zero2,
  zero3,
  tensor,
  pipeline,
  tensor_zero3,     // tensor-parallel inside a node, ZeRO-3 over the rest
  tensor_pipeline,  // the same with stages
};
inline constexpr int kModeCount = 8;
const char* to_string(Mode value);  // data_parallel zero1 ...

// The share of each card if there are so many, a power of two; unset where the mode has no form of
// its own for that number (one node holds all, or less than two of a kind are left).
std::optional<predict::Share> share_of(Mode mode, std::int64_t cards, std::int64_t node);

// The fewest cards on which a mode fits, or the most that were asked.
struct ModeAnswer {
  Mode mode = Mode::data_parallel;
  std::optional<predict::Share> share = {};  // unset: the mode is impossible, `reason` says why
  bool fits = false;
  std::int64_t needed = 0;            // bytes of the fullest card
  std::int64_t stage = 0;             // that card's
  std::optional<StepTime> time = {};  // unset without roofs
  double tokens_per_s = 0;            // of all cards, at most
  base::Message reason = {};
};
struct ClusterAnswer {
  std::optional<std::int64_t> one_card;  // bytes needed on one card; unset: not predicted
  bool fits_one = false;
  std::vector<ModeAnswer> modes;
  // The mode with the fewest cards, and of these with the most tokens a second; unset: none fits.
  [[nodiscard]] const ModeAnswer* smallest() const;
};

// Doubles the number of cards, since a share of more cards never needs more. Calls `told` before
// every dry run of a share: with the answered modes, and the next question. The error is that of
// the dry run on one card, or that the search was cancelled.
using ClusterCallback = std::function<void(const ClusterAnswer&, Mode, std::int64_t cards)>;
base::Result<ClusterAnswer> hunt_cluster(const ClusterRequest& request, predict::RankRunner& runner,
                                         const predict::CudaScratch& scratch,
                                         const ClusterCallback& told,
                                         const base::CancelToken& cancel);

base::Message cluster_sentence(const ClusterRequest& request, const ClusterAnswer& answer);
io::TextTable cluster_table(const ClusterAnswer& answer, const text::Texts& texts);
// The note about the bounds: their links, and what overlaps.
base::Message cluster_note(const ClusterRequest& request);
nlohmann::json to_json(const ClusterRequest& request, const ClusterAnswer& answer);

}  // namespace ts::cluster
