#pragma once

#include <ATen/core/Tensor.h>

namespace ts::kernels {

// Functions of PyTorch's in plain operators, as the first assignment of CS336 has them written.
// autograd keeps what each operator needs. Here nothing else lives longer than its last use.

// exp(x - max) / sum of these, over the last dimension. autograd keeps exponentials, sums and the
// places of the largest.
at::Tensor written_softmax(at::Tensor x);
// x sigmoid(x). autograd keeps both.
at::Tensor written_silu(const at::Tensor& x);
// logits: [N, classes], targets: [N]. The mean of log(sum(exp(logits - max))) less the logit of the
// class, also less max.
at::Tensor written_cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace ts::kernels
