#pragma once

#include "kernels/own_cuda/tensor_core.h"

// The softmax over tiles of keys of the stages that multiply in fragments.
namespace ts::kernels::own_cuda {

// The largest value, or the sum, of the four lanes of a row.
__device__ inline float quad_largest(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 2));
}
__device__ inline float quad_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFU, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFU, x, 2);
}

// Takes from a tile of scores those that are not seen(row, column) of the tile.
template <int fragments, int blocks, class Seen>
__device__ void mask(Sums<fragments, blocks>& s, const Seen& seen) {
#ifdef __CUDACC__
  asm volatile("");  // the branch to here stays one: most tiles have nothing to mask
#endif
#pragma unroll
  for (int f = 0; f < fragments; ++f) {
#pragma unroll
    for (int i = 0; i < blocks; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (!seen(row_of_sum(f, c), column_of_sum(i, c))) s[f][i][c] = kLowest;
      }
    }
  }
}
// Takes from a tile of scores what its query does not see, where there is such. The rows are
// queries from `first` on, the columns keys from j on.
template <class Number, int fragments, int blocks>
__device__ void mask_scores(const Attention<Number>& a, Sums<fragments, blocks>& s, int first,
                            int j) {
  mask(s, [&](int row, int column) { return sees(a, first + row, j + column); });
}
// The same of a transposed tile: the rows are keys from `first` on, the columns queries from i on.
template <class Number, int fragments, int blocks>
__device__ void mask_transposed(const Attention<Number>& a, Sums<fragments, blocks>& s, int first,
                                int i) {
  mask(s, [&](int row, int column) {
    return i + column < a.queries && sees(a, i + column, first + row);
  });
}

// The state of a lane's rows while keys come, two of each fragment: c / 2 is the row (Dao 2023,
// algorithm 1). l is the sum of this lane's columns.
template <int d_head, int fragments>
struct SoftmaxRows {
  Sums<fragments, d_head / 8> o = {};
  float l[fragments][2] = {}, m[fragments][2];
  float shrink[fragments][2];  // of O, by the last tile

  __device__ SoftmaxRows() {
    for (int f = 0; f < fragments; ++f) m[f][0] = m[f][1] = kLowest;
  }

  // S becomes P; m, l and `shrink` follow. O is left to shrink_output().
  template <int blocks>
  __device__ void soften(Sums<fragments, blocks>& s, float scale) {
#pragma unroll
    for (int f = 0; f < fragments; ++f) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float largest = m[f][half];
#pragma unroll
        for (int i = 0; i < blocks; ++i) {
          largest = fmaxf(largest, fmaxf(s[f][i][2 * half], s[f][i][2 * half + 1]));
        }
        largest = quad_largest(largest);
        const float base = scale * base_of(largest);
        shrink[f][half] = power_of_two(scale * m[f][half] - base);
        m[f][half] = largest;
        float sum = l[f][half] * shrink[f][half];
#pragma unroll
        for (int i = 0; i < blocks; ++i) {
#pragma unroll
          for (int c = 2 * half; c < 2 * half + 2; ++c) {
            s[f][i][c] = power_of_two(scale * s[f][i][c] - base);
            sum += s[f][i][c];
          }
        }
        l[f][half] = sum;
      }
    }
  }

  __device__ void shrink_output() {
#pragma unroll
    for (int f = 0; f < fragments; ++f) {
#pragma unroll
      for (int i = 0; i < d_head / 8; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) o[f][i][c] *= shrink[f][c / 2];
      }
    }
  }

  // Writes O / l, and L, for the queries from `first` on.
  template <class Number>
  __device__ void write(const Attention<Number>& a, int head, int first) {
#pragma unroll
    for (int f = 0; f < fragments; ++f) {
      float factor[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int query = first + row_of_sum(f, half * 2);
        const float sum = quad_sum(l[f][half]);
        if (lane_of_warp() % 4 == 0 && query < a.queries) {
          a.log_sums[head * a.queries + query] =
              sum == 0 ? -kLowest : a.scale * m[f][half] + logf(sum);
        }
        factor[half] = sum == 0 ? 0 : 1 / sum;
      }
      write_rows<Number, d_head>(head_of<d_head>(a.o, head, a.queries), first + f * 16, a.queries,
                                 o[f], factor[0], factor[1]);
    }
  }
};

}  // namespace ts::kernels::own_cuda
