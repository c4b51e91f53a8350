#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/ranks/rank_group.h"
#include "kernels/share/shard_exchange.h"

namespace ts::kernels {

// Collectives of a step whose ranks divide more than the batch, by c10d. All ranks call them in the
// same order; they return when the collective has ended on this rank and its tensors are let go
// of. Worker thread.
class Exchange final : public ShardExchange {
 public:
  // The group outlives this object.
  explicit Exchange(RankGroup& group) : group_(group) {}

  void all_gather(at::Tensor all, at::Tensor mine) override;
  void reduce_scatter(at::Tensor mine, at::Tensor all) override;
  // Sums the tensor over the ranks, in place.
  void sum(const at::Tensor& tensor);
  // Every rank gets the tensors of each rank, in place: one broadcast a tensor, as
  // ZeroRedundancyOptimizer does after its update.
  void broadcast(const std::vector<std::vector<at::Tensor>>& of_ranks);

 private:
  RankGroup& group_;
};

}  // namespace ts::kernels
