#include "tests/executor/wrong_kernels.h"

#include "kernels/executor/cuda_on_cpu.h"

namespace ts::executor::samples {
namespace {

__device__ unsigned thread() {
  return threadIdx.x;
}

__global__ void reverse_kernel(const float* in, float* out, int n, bool barrier) {
  __shared__ float tile[256];
  tile[thread()] = in[thread()];
  if (barrier) __syncthreads();
  out[thread()] = tile[static_cast<unsigned>(n) - 1 - thread()];
}

__global__ void block_sums_kernel(const float* in, float* out) {
  __shared__ float of_warps[2];
  float sum = in[blockIdx.x * blockDim.x + thread()];
  for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, bit);
  if (thread() % 32 == 0) of_warps[thread() / 32] = sum;
  __syncthreads();
  if (thread() == 0) out[blockIdx.x] = of_warps[0] + of_warps[1];
}

__global__ void past_the_end_kernel(float* out, int n) {
  if (static_cast<int>(thread()) <= n) out[thread()] = 1;
}

__global__ void writes_input_kernel(float* in) {
  in[3] = 1;
}

__global__ void unwritten_kernel(float* out) {
  __shared__ float tile[64];
  if (thread() < 31) tile[thread()] = 1;
  __syncthreads();
  out[thread()] = tile[thread()];
}

__global__ void branch_kernel(float* out) {
  if (thread() < 32) {
    __syncthreads();
    out[thread()] = 1;
  } else {
    __syncwarp(0xFFFFFFFFU);
    out[thread()] = __shfl_sync(thread() == 40 ? 1U << 9U : 0xFFFFFFFFU, 1.0F, 0);
  }
}

__global__ void one_place_kernel(float* out) {
  if (thread() == 0) out[0] = static_cast<float>(blockIdx.x);
}

__global__ void neighbour_kernel(float* out, bool barrier) {
  __shared__ float tile[32];
  tile[thread()] = static_cast<float>(thread());
  if (barrier) __syncwarp();
  out[thread()] = tile[thread() ^ 1U];
}

__global__ void small_kernel(float* out) {
  DYNAMIC_SHARED(float, tile);
  tile[thread()] = 1;
  __syncthreads();
  out[thread()] = tile[thread()];
}

__global__ void count_kernel(float* out) {
  atomicAdd(out, 1.0F);
}

}  // namespace

void reverse(const float* in, float* out, int n, bool barrier) {
  Launch(reverse_kernel, 1, static_cast<unsigned>(n))(in, out, n, barrier);
}
void block_sums(const float* in, float* out, int blocks) {
  Launch(block_sums_kernel, static_cast<unsigned>(blocks), 64)(in, out);
}
void writes_past_the_end(float* out, int n) {
  Launch(past_the_end_kernel, 1, 64)(out, n);
}
void writes_input(float* in) {
  Launch(writes_input_kernel, 1, 1)(in);
}
void reads_unwritten_shared_memory(float* out) {
  Launch(unwritten_kernel, 1, 32)(out);
}
void barrier_in_a_branch(float* out) {
  Launch(branch_kernel, 1, 64)(out);
}
void two_blocks_write_one_place(float* out) {
  Launch(one_place_kernel, 2, 32)(out);
}
void shuffle_needs_a_barrier(float* out, bool barrier) {
  Launch(neighbour_kernel, 1, 32)(out, barrier);
}
void dynamic_shared_memory_too_small(float* out) {
  Launch(small_kernel, 1, 64, 63 * sizeof(float))(out);
}
void counts(float* out, int threads) {
  Launch(count_kernel, 2, static_cast<unsigned>(threads))(out);
}

}  // namespace ts::executor::samples
