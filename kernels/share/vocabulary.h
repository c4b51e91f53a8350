#pragma once

#include <ATen/core/Tensor.h>

namespace ts::kernels {

// The mean cross entropy of logits of which this rank has some columns, as Megatron-LM computes it
// (vocab_parallel_cross_entropy): in fp32 and in place, in logits that nothing else needs. The
// softmax is what the backward keeps, and its gradient is written into it. logits: [N, classes /
// ranks]; targets: int64 [N]. For dry runs: what ranks exchange are single numbers of each row, so
// the result is not that of the whole vocabulary.
at::Tensor split_cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace ts::kernels
