#pragma once

#include "kernels/executor/executor.h"

// Small kernels, right and wrong, as they are written in CUDA C++. Each function launches one.
namespace ts::executor::samples {

// out[i] = in[n - 1 - i] through shared memory, with `threads` threads in one block; without its
// barrier if `barrier` is false.
void reverse(const float* in, float* out, int n, bool barrier);
// out[block] = sum of 64 numbers of the block, by shuffles and shared memory.
void block_sums(const float* in, float* out, int blocks);
void writes_past_the_end(float* out, int n);
void writes_input(float* in);
void reads_unwritten_shared_memory(float* out);
void barrier_in_a_branch(float* out);
void two_blocks_write_one_place(float* out);
void shuffle_needs_a_barrier(float* out, bool barrier);
void dynamic_shared_memory_too_small(float* out);
// Sums of all threads by atomicAdd: no race.
void counts(float* out, int threads);

}  // namespace ts::executor::samples
