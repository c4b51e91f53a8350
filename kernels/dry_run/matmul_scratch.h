#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {

// Blocks a matrix product of a narrow type takes on this machine's CPU beside its operands and its
// result: copies of operands that it cannot take as they lie, then its scratch. Such products run
// in oneDNN, whose scratch depends on the processor, the number of threads and its own heuristics;
// so oneDNN is asked: the product is begun on addresses that stand for the operands, and abandoned
// at the moment in which it asks the allocator for its scratch, before it computes anything.
// Answers are kept. A machine on which oneDNN takes no scratch, or does not run such products, is
// found out by one small product and not asked again.
//
// `name` tells operators apart; `begin` runs the product on cpu tensors that have the sizes,
// strides and type of `operands`, in their order. Only within a DryRecording.
using BeginProduct = std::function<void(const std::vector<at::Tensor>& operands)>;
std::vector<AskedBlock> matmul_scratch(const char* name, const std::vector<at::Tensor>& operands,
                                       const BeginProduct& begin);

}  // namespace ts::kernels
