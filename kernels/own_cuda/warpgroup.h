#pragma once

#include "kernels/own_cuda/attention_warpgroup.h"
#include "kernels/own_cuda/tensor_core.h"

#ifndef __CUDACC__
#include "kernels/executor/warpgroup.h"
#endif

// The instructions of the warpgroup stage, by their names in the PTX ISA: barriers in shared memory
// (mbarrier), copies of tiles by the tensor memory accelerator (cp.async.bulk.tensor) and products
// of four warps (wgmma). For sm_90a alone.
namespace ts::kernels::own_cuda {

using Barrier = std::uint64_t;  // in shared memory, 8-byte aligned

__device__ inline std::uint32_t shared_address(const void* place) {
#ifdef __CUDACC__
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
#else
  return executor::shared_address(place);
#endif
}

// The barrier changes its phase after `arrivals`, and after the bytes that were announced for it.
__device__ inline void make_barrier(Barrier* barrier, int arrivals) {
#ifdef __CUDACC__
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
#else
  executor::make_barrier(barrier, arrivals);
#endif
}
// Makes new barriers known to the accelerator; a __syncthreads() makes them known to the block.
__device__ inline void publish_barriers() {
#ifdef __CUDACC__
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
}
__device__ inline void arrive(Barrier* barrier) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :
               : "r"(shared_address(barrier))
               : "memory");
#else
  executor::arrive(barrier, 0);
#endif
}
// Arrives, and announces bytes that copies will bring.
__device__ inline void arrive_and_expect(Barrier* barrier, int bytes) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#else
  executor::arrive(barrier, bytes);
#endif
}
// Waits until the phase of that parity is over. The phases of a barrier are 0, 1, 2, ...
__device__ inline void wait(Barrier* barrier, int parity) {
#ifdef __CUDACC__
  std::uint32_t over = 0;
  while (over == 0) {
    asm volatile(
        "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2; "
        "selp.u32 %0, 1, 0, over; }"
        : "=r"(over)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
#else
  executor::wait(barrier, parity);
#endif
}

// Begins to copy a box to shared memory, zeros for rows after the last; its bytes are told to the
// barrier when they are there. One thread.
__device__ inline void copy_box(void* to, const TensorMap& map, int column, int row, int head,
                                Barrier* barrier) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4}], [%5];"
      :
      : "r"(shared_address(to)), "l"(&map), "r"(column), "r"(row), "r"(head),
        "r"(shared_address(barrier))
      : "memory");
#else
  executor::copy_box(to, &map, column, row, head, barrier);
#endif
}

// Registers of each thread of a warpgroup from here on.
template <int count>
__device__ inline void take_registers() {
#ifdef __CUDACC__
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(count));
#endif
}
template <int count>
__device__ inline void give_registers() {
#ifdef __CUDACC__
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(count));
#endif
}

// A tile in shared memory: chunks of 64 columns one after the other, a chunk [rows][64], swizzled
// by 128 bytes: 16-byte piece p of row r lies in place p ^ r % 8. Begins at a multiple of 1,024
// bytes.
constexpr int kChunkColumns = 64;
constexpr int kChunkRow = 128;  // bytes

// Where a product finds a factor ("matrix descriptor", PTX ISA): address, both offsets and the
// swizzle of 128 bytes, in units of 16 bytes. Eight rows are 1,024 bytes.
__device__ inline std::uint64_t factor_at(std::uint32_t address, std::uint32_t leading_offset) {
  constexpr std::uint64_t kSwizzle128 = 1;
  return std::uint64_t{(address & 0x3FFFFU) >> 4U} | std::uint64_t{leading_offset >> 4U} << 16U |
         std::uint64_t{1024 >> 4} << 32U | kSwizzle128 << 62U;
}
// Columns 16 * step on of the rows at `rows` of a tile of `all_rows`: its columns are summed over.
__device__ inline std::uint64_t factor_by_columns(std::uint32_t rows, int all_rows, int step) {
  const int bytes = step / 4 * all_rows * kChunkRow + step % 4 * 32;
  return factor_at(rows + static_cast<std::uint32_t>(bytes), 16);  // one chunk: no leading offset
}
// Rows 16 * step on of a tile of `all_rows`, from a chunk on: its rows are summed over.
__device__ inline std::uint64_t factor_by_rows(std::uint32_t tile, int all_rows, int step,
                                               int chunk) {
  const int bytes = chunk * all_rows * kChunkRow + step * 16 * kChunkRow;
  return factor_at(tile + static_cast<std::uint32_t>(bytes),
                   static_cast<std::uint32_t>(all_rows * kChunkRow));
}

// Before products of registers that were written.
__device__ inline void begin_products() {
#ifdef __CUDACC__
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#endif
}
// After some products, which then are a group.
__device__ inline void close_products() {
#ifdef __CUDACC__
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
#endif
}
// Waits until at most `groups` of them, the last ones, are not done.
template <int groups>
__device__ inline void wait_for_products() {
#ifdef __CUDACC__
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(groups) : "memory");
#endif
}
// Products write sums and read factors while the code goes on. After the wait for them, this keeps
// the compiler from having read the sums earlier, or having used the registers of factors anew.
template <int blocks>
__device__ inline void hold([[maybe_unused]] float (&sums)[blocks][4]) {
#ifdef __CUDACC__
#pragma unroll
  for (int i = 0; i < blocks; ++i) {
    for (float& sum : sums[i]) asm volatile("" : "+f"(sum) : : "memory");
  }
#endif
}
template <int steps>
__device__ inline void hold([[maybe_unused]] std::uint32_t (&factors)[steps][4]) {
#ifdef __CUDACC__
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    for (std::uint32_t& pair : factors[i]) asm volatile("" : "+r"(pair) : : "memory");
  }
#endif
}

#ifdef __CUDACC__
// The sums of 64 rows and 8 * n columns are n times four registers of each thread, in the order of
// mma.sync; warp w of the four has the rows 16 w on.
#define TENSORSCOPE_SUMS(i) "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
#define TENSORSCOPE_SUMS_OF_64                                                        \
  TENSORSCOPE_SUMS(0), TENSORSCOPE_SUMS(1), TENSORSCOPE_SUMS(2), TENSORSCOPE_SUMS(3), \
      TENSORSCOPE_SUMS(4), TENSORSCOPE_SUMS(5), TENSORSCOPE_SUMS(6), TENSORSCOPE_SUMS(7)
#define TENSORSCOPE_SUMS_OF_128                                                               \
  TENSORSCOPE_SUMS_OF_64, TENSORSCOPE_SUMS(8), TENSORSCOPE_SUMS(9), TENSORSCOPE_SUMS(10),     \
      TENSORSCOPE_SUMS(11), TENSORSCOPE_SUMS(12), TENSORSCOPE_SUMS(13), TENSORSCOPE_SUMS(14), \
      TENSORSCOPE_SUMS(15)
#define TENSORSCOPE_NAMES_OF_64                                                  \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, " \
  "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
#define TENSORSCOPE_NAMES_OF_128                                                     \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "     \
  "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, " \
  "%33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, " \
  "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "

// d = a b, or d += a b, both factors in shared memory: a by its columns, b too (b is transposed).
#define TENSORSCOPE_PRODUCT(type, n, a, b, add)                                  \
  asm volatile("{ .reg .pred add; setp.ne.u32 add, %" add                        \
               ", 0; "                                                           \
               "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type   \
               " " TENSORSCOPE_NAMES_OF_##n "%" a ", %" b ", add, 1, 1, 0, 0; }" \
               : TENSORSCOPE_SUMS_OF_##n                                         \
               : "l"(left), "l"(right), "r"(adds ? 1 : 0)                        \
               : "memory")
// d += a b, a in registers as mma.sync has it, b in shared memory by its rows.
#define TENSORSCOPE_PRODUCT_OF_REGISTERS(type, n, a0, a1, a2, a3, b)                    \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type          \
               " " TENSORSCOPE_NAMES_OF_##n "{%" a0 ", %" a1 ", %" a2 ", %" a3 "}, %" b \
                                            ", 1, 1, 1, 1;"                             \
               : TENSORSCOPE_SUMS_OF_##n                                                \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right)     \
               : "memory")
#endif

template <class Number, int n>
__device__ void multiply_factors(float (&d)[n / 8][4], std::uint64_t left, std::uint64_t right,
                                 bool adds) {
#ifdef __CUDACC__
  constexpr bool kBf16 = sizeof(Number) == 2 && Number::kBf16;
  if constexpr (n == 64 && kBf16) TENSORSCOPE_PRODUCT("bf16", 64, "32", "33", "34");
  if constexpr (n == 64 && !kBf16) TENSORSCOPE_PRODUCT("f16", 64, "32", "33", "34");
  if constexpr (n == 128 && kBf16) TENSORSCOPE_PRODUCT("bf16", 128, "64", "65", "66");
  if constexpr (n == 128 && !kBf16) TENSORSCOPE_PRODUCT("f16", 128, "64", "65", "66");
#else
  executor::multiply_factors(&d[0][0], n, left, right, adds,
                             [](std::uint16_t bits) { return widen(Number{bits}); });
#endif
}

template <class Number, int n>
__device__ void add_registers_times(float (*d)[4], const std::uint32_t (&left)[4],
                                    std::uint64_t right) {
#ifdef __CUDACC__
  constexpr bool kBf16 = Number::kBf16;
  if constexpr (n == 64 && kBf16)
    TENSORSCOPE_PRODUCT_OF_REGISTERS("bf16", 64, "32", "33", "34", "35", "36");
  if constexpr (n == 64 && !kBf16)
    TENSORSCOPE_PRODUCT_OF_REGISTERS("f16", 64, "32", "33", "34", "35", "36");
  if constexpr (n == 128 && kBf16)
    TENSORSCOPE_PRODUCT_OF_REGISTERS("bf16", 128, "64", "65", "66", "67", "68");
  if constexpr (n == 128 && !kBf16)
    TENSORSCOPE_PRODUCT_OF_REGISTERS("f16", 128, "64", "65", "66", "67", "68");
#else
  executor::add_registers_times(d[0], n, left, right,
                                [](std::uint16_t bits) { return widen(Number{bits}); });
#endif
}

}  // namespace ts::kernels::own_cuda
