#pragma once

#include "kernels/own_cuda/attention.h"

#ifndef __CUDACC__
#include "kernels/executor/tensor_core.h"
#endif

// The instructions of the tensor-core stage, by their names in the PTX ISA, and tiles in shared
// memory for them. From sm_80.
namespace ts::kernels::own_cuda {

// ldmatrix.x4: lane i gives the address of row i % 8 of matrix i / 8. See kernels/executor/
// tensor_core.h for what each lane receives.
template <bool transposed>
__device__ inline void load_matrices(std::uint32_t (&to)[4], const void* row) {
#ifdef __CUDACC__
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  if constexpr (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
  }
#else
  executor::load_matrices(to, row, transposed);
#endif
}

// mma.sync.m16n8k16 with sums of fp32: d += a b.
__device__ inline void multiply_add(float (&d)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[2], Bf16 /*type*/) {
#ifdef __CUDACC__
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  executor::multiply_add(d, a, b, [](std::uint16_t bits) { return widen(Bf16{bits}); });
#endif
}
__device__ inline void multiply_add(float (&d)[4], const std::uint32_t (&a)[4],
                                    const std::uint32_t (&b)[2], Fp16 /*type*/) {
#ifdef __CUDACC__
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  executor::multiply_add(d, a, b, [](std::uint16_t bits) { return widen(Fp16{bits}); });
#endif
}

// cp.async: 16 bytes to shared memory, or zeros; the thread goes on meanwhile.
__device__ inline void copy_async(void* to, const void* from, bool zeros) {
#ifdef __CUDACC__
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(address), "l"(from), "r"(zeros ? 0 : 16)
               : "memory");
#else
  executor::copy_later(to, from, zeros ? 0 : 16, zeros ? 16 : 0);
#endif
}
// Waits for the copies of this thread; __syncthreads() then waits for those of the others.
__device__ inline void wait_for_copies() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_all;" : : : "memory");
#else
  executor::close_copy_group();
  executor::wait_for_copies(0);
#endif
}

__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x % 32U);
}

// A tile [rows][d_head] of 16-bit numbers. A row is cut into chunks of 16 bytes, and chunk c of row
// r lies in place c ^ r % 8 (for rows of 64 bytes, two of which share 32 banks: c ^ r / 2 % 4). So
// the eight rows of one matrix lie in different banks, whichever chunk ldmatrix reads.
template <class Number, int d_head>
struct SwizzledTile {
  static constexpr int kChunk = 8;  // numbers
  static constexpr int kChunks = d_head / kChunk;
  Number* numbers;

  // Index of the first number of a chunk. That of a chunk `n` further is index ^ n * kChunk, where
  // n has no bit in common with `which`; so one index serves for a whole row of matrices.
  __device__ static unsigned index(int row, int which) {
    const auto r = static_cast<unsigned>(row), w = static_cast<unsigned>(which);
    const unsigned place = kChunks >= 8 ? w ^ r % 8U : w ^ r / 2U % 4U;
    return r * d_head + place * kChunk;
  }
  // Begins to copy `rows` rows of a head, by all `threads` of the block; zeros after its last row,
  // of which nothing is read.
  template <int rows, int threads>
  __device__ void copy(const Number* head, int first, int end) const {
    static_assert(threads % kChunks == 0 && rows % (threads / kChunks) == 0);
    const int row = static_cast<int>(threadIdx.x) / kChunks;
    const int which = static_cast<int>(threadIdx.x) % kChunks;
    const Number* const from = head + (first + row) * d_head + which * kChunk;
#pragma unroll
    for (int down = 0; down < rows; down += threads / kChunks)
      copy_async(numbers + index(row + down, which), from + down * d_head,
                 first + row + down >= end);
  }
};

// Sums of a warp: `fragments` times 16 rows, `blocks` times 8 columns.
template <int fragments, int blocks>
using Sums = float[fragments][blocks][4];

// s [16 * fragments][8 * blocks] = the rows from `row` on of a, times the rows of b from 0. Each
// matrix of b is read once for all fragments: with one a warp would wait for shared memory.
template <class Number, int d_head, int fragments, int blocks>
__device__ void multiply_rows(Sums<fragments, blocks>& s, SwizzledTile<Number, d_head> a, int row,
                              SwizzledTile<Number, d_head> b) {
  const int lane = lane_of_warp();
  const unsigned of_a = a.index(row + lane % 16, lane / 16);
  const unsigned of_b = b.index(lane % 8 + lane / 16 * 8, lane / 8 % 2);
#pragma unroll
  for (int f = 0; f < fragments; ++f) {
#pragma unroll
    for (int i = 0; i < blocks; ++i) {
      for (int c = 0; c < 4; ++c) s[f][i][c] = 0;
    }
  }
#pragma unroll
  for (unsigned step = 0; step < d_head / 16; ++step) {
    std::uint32_t left[fragments][4];
#pragma unroll
    for (int f = 0; f < fragments; ++f)
      load_matrices<false>(
          left[f], a.numbers + ((of_a ^ step * 16U) + static_cast<unsigned>(f) * 16U * d_head));
#pragma unroll
    for (int i = 0; i < blocks; i += 2) {
      std::uint32_t right[4];  // two blocks of 8 rows of b
      load_matrices<false>(
          right, b.numbers + ((of_b ^ step * 16U) + static_cast<unsigned>(i) * 8U * d_head));
#pragma unroll
      for (int f = 0; f < fragments; ++f) {
        multiply_add(s[f][i], left[f], {right[0], right[1]}, Number{});
        multiply_add(s[f][i + 1], left[f], {right[2], right[3]}, Number{});
      }
    }
  }
}

// sum [16 * fragments][columns] += p [16 * fragments][8 * n] times the rows of b, of which it has
// the columns from first_block * 8 on. Fragments of sums are those of a left factor: p goes from
// one product to the next in registers.
template <class Number, int d_head, int fragments, int n, int blocks>
__device__ void add_product(Sums<fragments, blocks>& sum, const Sums<fragments, n>& p,
                            SwizzledTile<Number, d_head> b, int first_block = 0) {
  const unsigned of_b = b.index(lane_of_warp() % 16, lane_of_warp() / 16);
#pragma unroll
  for (int step = 0; step < n / 2; ++step) {
    std::uint32_t left[fragments][4];
#pragma unroll
    for (int f = 0; f < fragments; ++f) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float(&pair)[4] = p[f][2 * step + i / 2];
        left[f][i] = pair_of<Number>(pair[i % 2 * 2], pair[i % 2 * 2 + 1]);
      }
    }
#pragma unroll
    for (int i = 0; i < blocks; i += 2) {
      std::uint32_t right[4];
      const auto columns = static_cast<unsigned>(first_block + i) * 8U;
      load_matrices<true>(
          right, b.numbers + ((of_b ^ columns) + static_cast<unsigned>(step) * 16U * d_head));
#pragma unroll
      for (int f = 0; f < fragments; ++f) {
        multiply_add(sum[f][i], left[f], {right[0], right[1]}, Number{});
        multiply_add(sum[f][i + 1], left[f], {right[2], right[3]}, Number{});
      }
    }
  }
}

// Row and column of element c of block i of fragment f of sums.
__device__ inline int row_of_sum(int f, int c) {
  return f * 16 + lane_of_warp() / 4 + c / 2 * 8;
}
__device__ inline int column_of_sum(int i, int c) {
  return i * 8 + lane_of_warp() % 4 * 2 + c % 2;
}

// Writes 16 rows from `first` on, each times its factor: the columns from first_block * 8 on.
template <class Number, int d_head, int blocks>
__device__ void write_rows(Number* head, int first, int end, const float (&sum)[blocks][4],
                           float factor, float factor_of_lower, int first_block = 0) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first + row_of_sum(0, half * 2);
    if (row >= end) continue;
    const float scale = half == 0 ? factor : factor_of_lower;
#pragma unroll
    for (int i = 0; i < blocks; ++i) {
      const std::uint32_t pair =
          pair_of<Number>(sum[i][half * 2] * scale, sum[i][half * 2 + 1] * scale);
      memcpy(head + row * d_head + column_of_sum(first_block + i, 0), &pair, sizeof pair);
    }
  }
}

}  // namespace ts::kernels::own_cuda
