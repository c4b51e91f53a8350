#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/spec/workload_spec.h"

namespace ts::predict {

// The parts that data-parallel ranks divide (Rajbhandari et al. 2020, "ZeRO").
enum class Shard : std::uint8_t {
  none,   // nothing
  zero1,  // optimizer state
  zero2,  // and gradients; parameters are gathered once a step
  zero3,  // and parameters, gathered block by block in the forward and again in the backward
};
const char* to_string(Shard value);  // none zero1 zero2 zero3
base::Result<Shard> shard_from(std::string_view name);

// The part of a workload that one of many ranks has. A rank has a card of its own, so there are
// ranks * tensor * pipeline cards. Which scheme of PyTorch or of Megatron each of them follows:
// docs/decisions.md, "A rank's share is dry-run".
struct Share {
  std::int64_t ranks = 1;  // data-parallel: same parameters, other sequences
  Shard shard = Shard::none;
  std::int64_t tensor = 1;    // ranks among which heads, feed-forward and vocabulary are split
  std::int64_t pipeline = 1;  // stages, in each of which there are some of the blocks
  std::int64_t stage = 0;     // the one that is meant, from 0
  friend bool operator==(const Share&, const Share&) = default;

  [[nodiscard]] std::int64_t cards() const { return ranks * tensor * pipeline; }
  [[nodiscard]] bool whole() const { return *this == Share{}; }
  [[nodiscard]] bool shards_gradients() const { return shard >= Shard::zero2; }
  [[nodiscard]] bool first() const { return stage == 0; }
  [[nodiscard]] bool last() const { return stage + 1 == pipeline; }
};

inline constexpr std::int64_t kMostRanks = 16'384;

// The reason why the workload cannot be shared in this way; unset if it can.
std::optional<base::Message> share_problem(const spec::WorkloadSpec& spec, const Share& share);

// The blocks of a stage: where layers cannot be divided, later stages have one more.
std::int64_t stage_layers(const Share& share, std::int64_t layers);

// The micro-batches whose activations a stage keeps at most, under the schedule 1F1B.
std::int64_t batches_in_flight(const Share& share, std::int64_t micro_batches);

// Tensors of these sizes, dealt out as ZeroRedundancyOptimizer does: the largest first, each to the
// rank that has least. Those of the rank that gets most, in the order in which it got them.
std::vector<std::size_t> fullest_partition(std::span<const std::int64_t> sizes, std::int64_t ranks);

// "zero3 on 8 ranks, tensor 2, stage 1 of 4"; "one card" for the whole.
std::string share_words(const Share& share);

}  // namespace ts::predict
