#pragma once

#include <ATen/core/Tensor.h>

namespace ts::kernels {

// Moves the parts of sharded tensors between the ranks. All ranks call it in the same order; its
// members return when the collective has ended on this rank. Tensors of one dimension.
class ShardExchange {
 public:
  virtual ~ShardExchange() = default;
  // `all` gets the parts of all ranks, one behind the other; `mine` lies in it at its place.
  virtual void all_gather(at::Tensor all, at::Tensor mine) = 0;
  // `mine` becomes the sum of all ranks' values at its place in `all`.
  virtual void reduce_scatter(at::Tensor mine, at::Tensor all) = 0;
};

}  // namespace ts::kernels
