#pragma once

#include <cstdint>

// The instructions that kernels for sm_90a use beyond tensor_core.h, by the layouts of the PTX ISA:
// barriers in shared memory, copies of boxes and products of four warps whose factors lie in shared
// memory with a swizzle of 128 bytes. Copies and products happen at once when they are begun, so
// what goes on beside them on a card is not shown: neither a product whose factor is overwritten
// too early, nor one that is not waited for.
namespace ts::executor {

// Offset in the dynamic shared memory.
std::uint32_t shared_address(const void* place);

// mbarrier: its phase ends when `arrivals` have arrived and all announced bytes have come.
void make_barrier(const void* barrier, int arrivals);
void arrive(const void* barrier, int announced_bytes);
void wait(const void* barrier, int parity);

// Fills a tensor map for copy_box: 16-bit numbers [heads][rows][columns], boxes of 64 columns and
// box_rows rows.
void make_tensor_map(void* map, const void* data, int columns, int rows, int heads, int box_rows);
// cp.async.bulk.tensor.3d: zeros where the tensor has no row.
void copy_box(void* to, const void* map, int column, int row, int head, const void* barrier);

// wgmma.mma_async.m64nNk16, of all threads of four warps. d: this thread's sums, four for each 8 of
// the columns. Factors are matrix descriptors.
void multiply_factors(float* d, int columns, std::uint64_t left, std::uint64_t right, bool adds,
                      float (*widen)(std::uint16_t bits));
// The left factor is in registers, the right one has its rows summed over ("transposed").
void add_registers_times(float* d, int columns, const std::uint32_t (&left)[4], std::uint64_t right,
                         float (*widen)(std::uint16_t bits));

}  // namespace ts::executor
