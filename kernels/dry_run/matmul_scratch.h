#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {

// The blocks that a matrix product of a narrow type takes on this machine's CPU besides its
// operands and its result: copies of operands whose layout it cannot use, then its scratch. Such
// products run in oneDNN, whose scratch depends on the processor, the number of threads and its own
// heuristics. So the product is started on addresses that stand for the operands, and aborted when
// it requests its scratch from the allocator, before it computes anything. Results are cached. A
// machine on which oneDNN takes no scratch, or does not run such products, is detected by one small
// product and not tested again.
//
// `name` distinguishes operators; `begin` runs the product on cpu tensors that have the sizes,
// strides and type of `operands`, in their order. Only within a DryRecording.
using BeginProduct = std::function<void(const std::vector<at::Tensor>& operands)>;
std::vector<AskedBlock> matmul_scratch(const char* name, const std::vector<at::Tensor>& operands,
                                       const BeginProduct& begin);

// Whether products of the type take any such block here. Only within a DryRecording.
bool takes_matmul_scratch(at::ScalarType type);

}  // namespace ts::kernels
