#pragma once

#include "kernels/own_cuda/tensor_core.h"

// The softmax over tiles of keys of the stages that multiply in fragments.
namespace ts::kernels::own_cuda {

constexpr float kLog2E = 1.44269504F;

// The largest value, or the sum, of the four lanes of a row.
__device__ inline float row_largest(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 2));
}
__device__ inline float row_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFU, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFU, x, 2);
}

// The state of a lane's two rows while keys come: c / 2 of a fragment is the row (Dao 2023,
// algorithm 1). l is the sum of this lane's columns.
template <int d_head>
struct SoftmaxRows {
  float o[d_head / 8][4] = {}, l[2] = {}, m[2] = {kLowest, kLowest};

  // S becomes P; O and l shrink to the new maximum: of this lane's scores and of m.
  template <int blocks>
  __device__ void soften(float (&s)[blocks][4], float (&largest)[2], float scale) {
    float base[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      largest[half] = row_largest(largest[half]);
      base[half] = scale * base_of(largest[half]);
      const float shrink = exp2f(scale * m[half] - base[half]);
      m[half] = largest[half];
      l[half] *= shrink;
#pragma unroll
      for (int i = 0; i < d_head / 8; ++i) {
        o[i][2 * half] *= shrink;
        o[i][2 * half + 1] *= shrink;
      }
    }
#pragma unroll
    for (int i = 0; i < blocks; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        s[i][c] = exp2f(scale * s[i][c] - base[c / 2]);
        l[c / 2] += s[i][c];  // of this lane's columns
      }
    }
  }
};

}  // namespace ts::kernels::own_cuda
