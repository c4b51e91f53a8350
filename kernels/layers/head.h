#pragma once

#include <ATen/core/Tensor.h>

#include "core/spec/workload_spec.h"
#include "kernels/layers/linear.h"

namespace ts::kernels {

// The last layer of a model: logits, and their mean cross entropy. With kernels own and a backward
// both are one, and the logits are never whole, unless they have a bias or a limit (softcap).
// Written out, the loss is the mean of log(sum(exp(logits - max))) less the logit of the class,
// also less max.
class Head {
 public:
  // split: this rank has some columns of the logits (dry runs).
  Head(Linear projection, const spec::WorkloadSpec& spec, bool split = false);
  // x: [..., width]; the logits [..., classes], or x itself where loss() makes the logits.
  at::Tensor forward(const at::Tensor& x) const;
  // The loss of a result of forward(). targets: int64 [...].
  at::Tensor loss(const at::Tensor& output, const at::Tensor& targets) const;

 private:
  Linear projection_;
  bool fused_;
  bool written_;
  bool split_;
  double softcap_;
};

}  // namespace ts::kernels
