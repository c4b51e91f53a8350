#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "kernels/layers/builder.h"
#include "kernels/ranks/rank_group.h"

namespace ts::kernels {

// The gradients of a model as DistributedDataParallel has them: PyTorch's own Reducer with its
// buckets, whose exchange overlaps with the backward. Does in the constructor and before a forward
// and a backward what torch.nn.parallel.DistributedDataParallel does there, in the same order, so
// that memory and traffic are the same. Worker thread.
class DataParallel {
 public:
  // Compares the shapes with those of rank 0 and takes its values. The group outlives this object.
  DataParallel(RankGroup& group, const std::vector<Parameter>& parameters);
  ~DataParallel();
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;

  // True if the buckets are new: in the second step they get the order in which gradients came.
  bool before_forward(bool exchanges);
  void before_backward(bool exchanges);
  [[nodiscard]] std::vector<at::Tensor> buckets() const;
  // Kept by compression from step to step: factors and errors of powersgd.
  [[nodiscard]] std::vector<at::Tensor> kept() const;
  [[nodiscard]] run::CompressionFacts compression() const;

 private:
  struct Parts;
  RankGroup& group_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ts::kernels
