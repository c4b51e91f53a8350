#pragma once

// The words of CUDA C++ that kernels use, for a compiler that does not know them; they run in the
// executor (executor.h). Named as CUDA names them (CUDA C++ Programming Guide, "C++ Language
// Extensions"), and therefore in no namespace.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "kernels/executor/executor.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
// Unlike alignas it may follow thread_local.
#define __align__(bytes) __attribute__((aligned(bytes)))
// One variable for all threads of a block, as these are one thread of the system. Of variables that
// are thread_local the executor knows the addresses.
#define __shared__ thread_local

struct uint3 {
  unsigned x = 0, y = 0, z = 0;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

using std::max;
using std::min;
inline float rsqrtf(float x) {
  return 1.0F / std::sqrt(x);
}
inline float __expf(float x) {
  return std::exp(x);
}
inline float __logf(float x) {
  return std::log(x);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
template <class T>
T __ldg(const T* from) {
  return *from;
}

inline void __syncthreads() {
  ts::executor::wait_for_block();
}
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU) {
  ts::executor::wait_for_warp(mask);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

// The `value` of a lane in the same part of the warp, `width` lanes wide. What lanes have given
// lies in memory of the executor.
template <class T>
[[gnu::no_sanitize_thread]] T ts_shuffle(unsigned mask, T value, int from, int width) {
  const int lane = ts::executor::lane();
  const int first = lane / width * width;
  ts::executor::exchange(mask, &value, sizeof value);
  const bool inside = from >= first && from < first + width;
  T taken;
  std::memcpy(&taken, ts::executor::given_by(inside ? from : lane), sizeof taken);
  return taken;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = warpSize) {
  return ts_shuffle(mask, value, ts::executor::lane() / width * width + from % width, width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize) {
  return ts_shuffle(mask, value, ts::executor::lane() ^ bits, width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  return ts_shuffle(mask, value, ts::executor::lane() + static_cast<int>(by), width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
  return ts_shuffle(mask, value, ts::executor::lane() - static_cast<int>(by), width);
}
[[gnu::no_sanitize_thread]] inline unsigned __ballot_sync(unsigned mask, int predicate) {
  ts::executor::exchange(mask, &predicate, sizeof predicate);
  unsigned ballot = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    int other = 0;
    std::memcpy(&other, ts::executor::given_by(lane), sizeof other);
    if ((mask >> static_cast<unsigned>(lane) & 1U) != 0 && other != 0) {
      ballot |= 1U << static_cast<unsigned>(lane);
    }
  }
  return ballot;
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0 ? 1 : 0) == 0 ? 1 : 0;
}

// Threads run by turns, so nothing comes between. Not an access that can race.
template <class T>
[[gnu::no_sanitize_thread]] T ts_before_atomic(T* to) {
  ts::executor::check_atomic(to, sizeof(T));
  const T before = *to;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(before)) ts::executor::check_set(to);
  }
  return before;
}
template <class T>
[[gnu::no_sanitize_thread]] T atomicAdd(T* to, T value) {
  const T before = ts_before_atomic(to);
  *to = before + value;
  return before;
}
template <class T>
[[gnu::no_sanitize_thread]] T atomicMax(T* to, T value) {
  const T before = ts_before_atomic(to);
  *to = std::max(before, value);
  return before;
}

// The dynamic shared memory of the launch.
#define DYNAMIC_SHARED(type, name) \
  type* const name = reinterpret_cast<type*>(ts::executor::dynamic_shared_memory())

// kernel<<<grid, block, shared_bytes, stream>>>(arguments) as a call: Launch(kernel, grid, block,
// shared_bytes, stream)(arguments).
template <class Kernel>
struct Launch {
  Kernel* kernel;
  dim3 grid, block;
  std::size_t shared_bytes;

  Launch(Kernel* kernel_, dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0,
         const void* /*stream*/ = nullptr)
      : kernel(kernel_), grid(grid_), block(block_), shared_bytes(shared_bytes_) {}
  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    const auto call = [&] { kernel(arguments...); };
    // Without a copy, which would lie in memory of the host that kernels may not touch.
    ts::executor::launch({grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes,
                         std::ref(call),
                         ts::executor::shared_memory_of(reinterpret_cast<const void*>(kernel)));
  }
};
