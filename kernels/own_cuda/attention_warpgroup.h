#pragma once

#include "kernels/own_cuda/attention.h"

namespace ts::kernels::own_cuda {

// A tensor [heads][rows][columns] of 16-bit numbers for the accelerator, with boxes of 64 columns
// and some rows of one head; as cuTensorMapEncodeTiled fills it, with a swizzle of 128 bytes.
struct alignas(64) TensorMap {
  std::uint64_t opaque[16];
};

// Attention whose 16-bit tensors come by the accelerator; `a` has all but these. The boxes of a
// kernel have as many rows as its tiles (core/report/attention_stages.h): of q and d_o, and of k
// and v. The forward has no d_o.
template <class Number>
struct AttentionByTma {
  TensorMap q, k, v, d_o;
  Attention<Number> a;
};

}  // namespace ts::kernels::own_cuda
