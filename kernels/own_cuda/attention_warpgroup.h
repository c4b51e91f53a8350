#pragma once

#include "kernels/own_cuda/attention.h"

namespace ts::kernels::own_cuda {

// A tensor [heads][rows][columns] of 16-bit numbers for the accelerator, with boxes of 64 columns
// and some rows of one head; as cuTensorMapEncodeTiled fills it, with a swizzle of 128 bytes.
struct alignas(64) TensorMap {
  std::uint64_t opaque[16];
};

// Attention whose q, k and v come by the accelerator: boxes of report::kWarpgroupRows rows of q, of
// report::warpgroup_keys() rows of k and v. `a` has all but these.
template <class Number>
struct AttentionByTma {
  TensorMap q, k, v;
  Attention<Number> a;
};

}  // namespace ts::kernels::own_cuda
