#pragma once

#include "kernels/own_cuda/warpgroup.h"

// A block of the warpgroup stage: one thread brings tiles, warpgroups of 64 rows each multiply
// them. A tile has a barrier "full", which counts bytes, and a place that is used again a barrier
// "empty", which counts the warps that have read.
namespace ts::kernels::own_cuda {

constexpr int kGroupRows = 64;
constexpr int kGroupThreads = 128;
constexpr int kGroupWarps = 4;
constexpr int kPlaces = report::kWarpgroupPlaces;

// The first warpgroup's first thread produces, each of the others consumes, with a number from 0.
// Registers go from the first to the others: 512 times 128 are all of a multiprocessor.
template <int consumers, class Produce, class Consume>
__device__ void divide_block(Produce produce, Consume consume) {
  static_assert(consumers == 2 || consumers == 3);
  const int group = static_cast<int>(threadIdx.x) / kGroupThreads;
  if (group == 0) {
    give_registers<consumers == 2 ? 24 : 32>();
    if (threadIdx.x == 0) produce();
  } else {
    take_registers<consumers == 2 ? 240 : 160>();
    consume(group - 1);
  }
}

// The first row of this warp among those of its group.
__device__ inline int first_row_in_group() {
  return static_cast<int>(threadIdx.x) % kGroupThreads / 32 * 16;
}

// Brings `rows` rows of a head, from `first` on, in chunks of 64 columns.
template <int d_head, class Number>
__device__ void bring(Number* to, const TensorMap& map, int first, int rows, int head,
                      Barrier* full) {
  arrive_and_expect(full, rows * d_head * static_cast<int>(sizeof(Number)));
  for (int column = 0; column < d_head; column += kChunkColumns)
    copy_box(to + column * rows, map, column, first, head, full);
}

// Begins d [64][columns] = 64 rows of a tile of all_rows rows, times the rows of another tile.
template <class Number, int d_head, int columns>
__device__ void begin_product(float (&d)[columns / 8][4], const Number* rows, int all_rows,
                              const Number* tile) {
  const std::uint32_t left = shared_address(rows), right = shared_address(tile);
#pragma unroll
  for (int i = 0; i < d_head / 16; ++i) {
    multiply_factors<Number, columns>(d, factor_by_columns(left, all_rows, i),
                                      factor_by_columns(right, columns, i), i > 0);
  }
  close_products();
}

// Begins sum [64][d_head] += p [64][n] times the n rows of a tile, 128 columns at a time at most.
template <class Number, int d_head, int n>
__device__ void begin_sum(float (&sum)[d_head / 8][4], const std::uint32_t (&p)[n / 16][4],
                          const Number* tile) {
  constexpr int kColumns = d_head < 128 ? d_head : 128;
  const std::uint32_t right = shared_address(tile);
#pragma unroll
  for (int i = 0; i < n / 16; ++i) {
#pragma unroll
    for (int column = 0; column < d_head; column += kColumns) {
      add_registers_times<Number, kColumns>(sum + column / 8, p[i],
                                            factor_by_rows(right, n, i, column / kChunkColumns));
    }
  }
  close_products();
}

// Sums as the factor of a product.
template <class Number, int steps, int blocks>
__device__ void pack(std::uint32_t (&p)[steps][4], const float (&s)[blocks][4]) {
  static_assert(blocks == 2 * steps);
#pragma unroll
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float(&pair)[4] = s[2 * i + c / 2];
      p[i][c] = pair_of<Number>(pair[c % 2 * 2], pair[c % 2 * 2 + 1]);
    }
  }
}

}  // namespace ts::kernels::own_cuda
