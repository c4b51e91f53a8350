#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "kernels/own/instructions.h"

namespace ts::kernels {

// The mean cross entropy of the logits x weight^T with targets. x: [tokens, width];
// weight: [classes, width], of the same type; targets: int64 [tokens], each in [0, classes). The
// result is a number in fp32 (fp64 without vectors) whatever the type.
//
// The logits are never whole. On the CPU a few chunks of tokens, one after the other, have theirs
// made by LibTorch's product, replaced by their gradients in our kernel, and multiplied with weight
// and x into the gradients of both (Hsu et al. 2024, Liger Kernel, arXiv 2410.10989). So the
// forward computes the gradients, which the backward only scales, once; none are computed without
// autograd. On CUDA chunks of classes have their logits made twice
// (kernels/own_cuda/cross_entropy.cu), and a number a token is kept for the backward. instructions:
// of the CPU; nothing for the fastest.
at::Tensor own_cross_entropy(const at::Tensor& x, const at::Tensor& weight,
                             const at::Tensor& targets,
                             std::optional<own::Instructions> instructions = std::nullopt);

// The number of chunks on the CPU. As many as make the logits of one no larger than x, but none
// below 256 tokens; and at most 2 of 16 bits, whose gradient of weight is rounded after every
// chunk: 4 made its largest error up to 2.1 times that of PyTorch's, which rounds once.
std::int64_t cross_entropy_chunks(std::int64_t tokens, std::int64_t width, std::int64_t classes,
                                  at::ScalarType type);

}  // namespace ts::kernels
