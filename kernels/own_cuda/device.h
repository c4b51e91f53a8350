#pragma once

// Needed by every kernel here. The sources are CUDA C++ for nvcc, and C++ for a compiler of the
// host, with which they run in kernels/executor.

#include <cstdint>

#ifdef __CUDACC__
#define DYNAMIC_SHARED(type, name)                                \
  extern __shared__ __align__(1024) unsigned char shared_bytes[]; \
  type* const name = reinterpret_cast<type*>(shared_bytes)
#else
#include "kernels/executor/cuda_on_cpu.h"
#include "kernels/own_cuda/on_cpu.h"
#endif

// A kernel with a name that a driver finds: it calls NAME<...>(problem). One block at least fits a
// multiprocessor: setmaxnreg is for kernels that say so.
#define TENSORSCOPE_KERNEL_ALONE(symbol, Problem, threads, ...) \
  extern "C" __global__ void __launch_bounds__(threads, 1)      \
      symbol(const __grid_constant__ Problem problem) {         \
    __VA_ARGS__(problem);                                       \
  }
#ifdef __CUDACC__
#define TENSORSCOPE_KERNEL TENSORSCOPE_KERNEL_ALONE
#else
#define TENSORSCOPE_KERNEL(symbol, Problem, threads, ...)         \
  TENSORSCOPE_KERNEL_ALONE(symbol, Problem, threads, __VA_ARGS__) \
  static const ts::kernels::own_cuda::KnownOnCpu known_##symbol(  \
      #symbol, [](const void* problem) { symbol(*static_cast<const Problem*>(problem)); });
#endif

namespace ts::kernels::own_cuda {

// Numbers of 16 bits in memory.
struct Bf16 {
  static constexpr bool kBf16 = true;
  std::uint16_t bits;
};
struct Fp16 {
  static constexpr bool kBf16 = false;
  std::uint16_t bits;
};

__device__ inline float widen(float x) {
  return x;
}
__device__ inline float widen(Bf16 x) {
  const std::uint32_t bits = std::uint32_t{x.bits} << 16U;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}
__device__ inline float widen(Fp16 x) {
#ifdef __CUDACC__
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
#else
  return static_cast<float>(__builtin_bit_cast(_Float16, x.bits));
#endif
}

// To the nearest number, ties to even.
__device__ inline void narrow(float x, float& to) {
  to = x;
}
__device__ inline void narrow(float x, Bf16& to) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
#else
  std::uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  to.bits = static_cast<std::uint16_t>(x != x ? 0x7FC0U : rounded);
#endif
}
__device__ inline void narrow(float x, Fp16& to) {
#ifdef __CUDACC__
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
#else
  to.bits = __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(x));
#endif
}

// Minus infinity as the largest of no scores; weights are then 0, not NaN.
constexpr float kLowest = -__builtin_huge_valf();
__device__ inline float base_of(float largest) {
  return largest == kLowest ? 0.0F : largest;
}

// The largest number, or the sum, of the lanes of a warp, for all of them. What is no number is
// passed over by the first.
__device__ inline float warp_largest(float x) {
  for (int bit = 16; bit > 0; bit /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, bit));
  return x;
}
__device__ inline float warp_sum(float x) {
  for (int bit = 16; bit > 0; bit /= 2) x += __shfl_xor_sync(0xFFFFFFFFU, x, bit);
  return x;
}

// The row of a warp, where a block has blockDim.y of them, 32 threads each.
__device__ inline int row_of_warp() {
  return static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
}

template <int count>
struct Floats {
  float of[count];
};

// A sum of exponentials that grows by some numbers at a time, with one exponential besides theirs:
// `sum` is that of exp(x - largest) of all so far (Milakov and Gimelshein 2018, algorithm 3).
struct RunningSum {
  float largest = kLowest, sum = 0;

  template <int count>
  __device__ void add(const Floats<count>& x) {
    const float before = largest;
    // NaN is not larger, and stays in the sum.
    for (int i = 0; i < count; ++i) largest = x.of[i] > largest ? x.of[i] : largest;
    const float base = base_of(largest);
    sum *= expf(before - base);
    for (int i = 0; i < count; ++i) sum += expf(x.of[i] - base);
  }
  // The sum of the lanes of a warp, for all of them.
  __device__ void add_lanes() {
    const float before = largest;
    largest = warp_largest(before);
    sum = warp_sum(sum * expf(before - base_of(largest)));
  }
};

}  // namespace ts::kernels::own_cuda
