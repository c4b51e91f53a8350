#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/run/world.h"
#include "core/spec/workload_spec.h"

namespace ts::predict {

using run::Shard;
using run::shard_from;

// The part of a workload that one of many ranks has. A rank has a card of its own, so there are
// ranks * tensor * pipeline cards. Which scheme of PyTorch or of Megatron each of them follows:
// docs/decisions.md, "A rank's share is dry-run".
struct Share {
  std::int64_t ranks = 1;  // data-parallel: same parameters, other sequences
  Shard shard = Shard::none;
  std::int64_t tensor = 1;    // ranks among which heads, feed-forward and vocabulary are split
  std::int64_t pipeline = 1;  // stages, in each of which there are some of the blocks
  std::int64_t stage = 0;     // the one that is meant, from 0
  std::int64_t rank = -1;     // of zero1: the one that is meant; -1: the one that has most
  friend bool operator==(const Share&, const Share&) = default;

  [[nodiscard]] std::int64_t cards() const { return ranks * tensor * pipeline; }
  [[nodiscard]] bool whole() const { return *this == Share{}; }
  [[nodiscard]] bool shards_gradients() const { return shard >= Shard::zero2; }
  [[nodiscard]] bool first() const { return stage == 0; }
  [[nodiscard]] bool last() const { return stage + 1 == pipeline; }
};

inline constexpr std::int64_t kMostRanks = 16'384;

// The share of one rank of such a run.
Share share_of(const run::World& world);

// The reason why the workload cannot be shared in this way; unset if it can.
std::optional<base::Message> share_problem(const spec::WorkloadSpec& spec, const Share& share);
// The same for a run of such ranks, which may also exchange in a way that does not go with it.
std::optional<base::Message> shard_problem(const spec::WorkloadSpec& spec, const run::World& world);

// The blocks of a stage: where layers cannot be divided, later stages have one more.
std::int64_t stage_layers(const Share& share, std::int64_t layers);

// The micro-batches whose activations a stage keeps at most, under the schedule 1F1B.
std::int64_t batches_in_flight(const Share& share, std::int64_t micro_batches);

// Tensors of these sizes, dealt out as ZeroRedundancyOptimizer does: the largest first, each to the
// rank that has least. By rank, in the order in which it got them.
struct Partitions {
  std::vector<std::vector<std::size_t>> of_ranks;
  std::size_t fullest = 0;  // the rank that got most
};
Partitions partitions(std::span<const std::int64_t> sizes, std::int64_t ranks);

// "zero3 on 8 ranks, tensor 2, stage 1 of 4"; "one card" for the whole.
std::string share_text(const Share& share);

}  // namespace ts::predict
