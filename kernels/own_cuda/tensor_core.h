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
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
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
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
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

// Two sums as the two numbers of a register.
template <class Number>
__device__ inline std::uint32_t pair_of(float first, float second) {
  Number a, b;
  narrow(first, a);
  narrow(second, b);
  return std::uint32_t{a.bits} | std::uint32_t{b.bits} << 16U;
}

__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % 32;
}

// A tile [rows][d_head] of 16-bit numbers. A row is cut into chunks of 16 bytes, and chunk c of row
// r lies in place c ^ r % 8 (for rows of 64 bytes, two of which share 32 banks: c ^ r / 2 % 4). So
// the eight rows of one matrix lie in different banks, whichever chunk ldmatrix reads.
template <class Number, int d_head>
struct SwizzledTile {
  static constexpr int kChunk = 8;  // numbers
  static constexpr int kChunks = d_head / kChunk;
  Number* numbers;

  __device__ Number* chunk(int row, int which) const {
    const int place = kChunks >= 8 ? which ^ row % 8 : which ^ row / 2 % 4;
    return numbers + row * d_head + place * kChunk;
  }
  // Begins to copy rows of a head; zeros after its last row.
  __device__ void copy(const Number* head, int first, int rows, int end) const {
    for (int i = static_cast<int>(threadIdx.x); i < rows * kChunks;
         i += static_cast<int>(blockDim.x)) {
      const int row = i / kChunks, which = i % kChunks;
      const bool inside = first + row < end;
      const Number* from = inside ? head + (first + row) * d_head + which * kChunk : head;
      copy_async(chunk(row, which), from, !inside);
    }
  }
};

// s [16][8 * n] = rows `row` to row + 15 of a, times the rows of b from 0, as fragments of sums.
template <class Number, int d_head, int n>
__device__ void multiply_rows(float (&s)[n][4], SwizzledTile<Number, d_head> a, int row,
                              SwizzledTile<Number, d_head> b) {
  const int lane = lane_of_warp();
#pragma unroll
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 4; ++c) s[i][c] = 0;
  }
#pragma unroll
  for (int step = 0; step < d_head / 16; ++step) {
    std::uint32_t left[4];
    load_matrices<false>(left, a.chunk(row + lane % 16, step * 2 + lane / 16));
#pragma unroll
    for (int i = 0; i < n; i += 2) {
      std::uint32_t right[4];  // two blocks of 8 rows of b
      load_matrices<false>(right,
                           b.chunk(i * 8 + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2));
      multiply_add(s[i], left, {right[0], right[1]}, Number{});
      multiply_add(s[i + 1], left, {right[2], right[3]}, Number{});
    }
  }
}

// sum [16][columns] += p [16][8 * n] times the rows of b, of which it has the columns from
// first_block * 8 on. Fragments of sums are those of a left factor: p goes from one product to the
// next in registers.
template <class Number, int d_head, int n, int blocks>
__device__ void add_product(float (&sum)[blocks][4], const float (&p)[n][4],
                            SwizzledTile<Number, d_head> b, int first_block = 0) {
  const int lane = lane_of_warp();
#pragma unroll
  for (int step = 0; step < n / 2; ++step) {
    const std::uint32_t left[4] = {pair_of<Number>(p[2 * step][0], p[2 * step][1]),
                                   pair_of<Number>(p[2 * step][2], p[2 * step][3]),
                                   pair_of<Number>(p[2 * step + 1][0], p[2 * step + 1][1]),
                                   pair_of<Number>(p[2 * step + 1][2], p[2 * step + 1][3])};
#pragma unroll
    for (int i = 0; i < blocks; i += 2) {
      std::uint32_t right[4];
      load_matrices<true>(right, b.chunk(step * 16 + lane % 16, first_block + i + lane / 16));
      multiply_add(sum[i], left, {right[0], right[1]}, Number{});
      multiply_add(sum[i + 1], left, {right[2], right[3]}, Number{});
    }
  }
}

// Row and column of element c of block i of a fragment of sums.
__device__ inline int row_of_sum(int c) {
  return lane_of_warp() / 4 + c / 2 * 8;
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
    const int row = first + row_of_sum(half * 2);
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
