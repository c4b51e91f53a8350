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

// A kernel with a name that a driver finds: it calls NAME<...>(problem). `bounds`: (threads of a
// block), or (threads, blocks that a multiprocessor has at least), which bounds the registers.
#define TENSORSCOPE_KERNEL_ALONE(symbol, Problem, bounds, ...) \
  extern "C" __global__ void __launch_bounds__ bounds symbol(  \
      const __grid_constant__ Problem problem) {               \
    __VA_ARGS__(problem);                                      \
  }
#ifdef __CUDACC__
#define TENSORSCOPE_KERNEL_WITHIN TENSORSCOPE_KERNEL_ALONE
#else
#define TENSORSCOPE_KERNEL_WITHIN(symbol, Problem, bounds, ...)  \
  TENSORSCOPE_KERNEL_ALONE(symbol, Problem, bounds, __VA_ARGS__) \
  static const ts::kernels::own_cuda::KnownOnCpu known_##symbol( \
      #symbol, [](const void* problem) { symbol(*static_cast<const Problem*>(problem)); });
#endif
// setmaxnreg is for kernels that name a number of blocks, too.
#define TENSORSCOPE_KERNEL(symbol, Problem, threads, ...) \
  TENSORSCOPE_KERNEL_WITHIN(symbol, Problem, (threads, 1), __VA_ARGS__)

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

// Two numbers as one register has them, the first in its lower half.
template <class Number>
__device__ inline std::uint32_t pair_of(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t pair;
  if constexpr (Number::kBf16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  }
  return pair;
#else
  Number a, b;
  narrow(first, a);
  narrow(second, b);
  return std::uint32_t{a.bits} | std::uint32_t{b.bits} << 16U;
#endif
}

constexpr float kLog2E = 1.44269504F;

// 2 to the power of x, by one instruction: 0 where the result is below 2^-126.
__device__ inline float power_of_two(float x) {
#ifdef __CUDACC__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return exp2f(x);
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

}  // namespace ts::kernels::own_cuda
