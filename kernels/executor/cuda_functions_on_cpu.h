#pragma once

// Functions and types of CUDA C++ that kernels of other people use, beyond those that ours need
// (cuda_on_cpu.h). Functions with a rounding in their names compute as the processor does.

#include <bit>
#include <cassert>
#include <cfloat>
#include <climits>
#include <utility>

#include "kernels/executor/cuda_on_cpu.h"

#define __inline__ inline
#define __managed__
#define CUDART_INF_F __builtin_huge_valf()

struct alignas(8) uint2 {
  unsigned x, y;
};
struct int3 {
  int x, y, z;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline float3 make_float3(float x, float y, float z) {
  return {x, y, z};
}
inline int2 make_int2(int x, int y) {
  return {x, y};
}
inline int3 make_int3(int x, int y, int z) {
  return {x, y, z};
}
inline int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
  return {x, y};
}

// The least and the most of two types, as CUDA has them.
#define TS_OF_TWO_TYPES(name, a, b, result)                                          \
  inline result name(a left, b right) {                                              \
    return std::name<result>(static_cast<result>(left), static_cast<result>(right)); \
  }                                                                                  \
  inline result name(b left, a right) {                                              \
    return std::name<result>(static_cast<result>(left), static_cast<result>(right)); \
  }
TS_OF_TWO_TYPES(min, int, unsigned, unsigned)
TS_OF_TWO_TYPES(max, int, unsigned, unsigned)
TS_OF_TWO_TYPES(min, long, unsigned long, unsigned long)
TS_OF_TWO_TYPES(max, long, unsigned long, unsigned long)
TS_OF_TWO_TYPES(min, float, double, double)
TS_OF_TWO_TYPES(max, float, double, double)
#undef TS_OF_TWO_TYPES

inline float __fadd_rn(float x, float y) {
  return x + y;
}
inline float __fsub_rn(float x, float y) {
  return x - y;
}
inline float __fmul_rn(float x, float y) {
  return x * y;
}
inline float __fmaf_rn(float x, float y, float z) {
  return std::fma(x, y, z);
}
inline float __fdiv_rn(float x, float y) {
  return x / y;
}
inline float __frcp_rn(float x) {
  return 1.0F / x;
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
inline float __frsqrt_rn(float x) {
  return 1.0F / std::sqrt(x);
}
inline float __saturatef(float x) {
  return std::fmin(std::fmax(x, 0.0F), 1.0F);
}
inline double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}

inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}
inline float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
inline int __popc(unsigned bits) {
  return std::popcount(bits);
}
inline int __clz(int bits) {
  return std::countl_zero(static_cast<unsigned>(bits));
}
inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}

// Loads and stores with a hint for the cache.
template <class T>
T __ldca(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
void __stcg(T* to, T value) {
  *to = value;
}
template <class T>
void __stcs(T* to, T value) {
  *to = value;
}

// As atomicAdd in cuda_on_cpu.h.
template <class T, class Change>
[[gnu::no_sanitize_thread]] T ts_atomic(T* to, const Change& change) {
  const T before = ts_before_atomic(to);
  *to = change(before);
  return before;
}
template <class T>
T atomicSub(T* to, T value) {
  return ts_atomic(to, [=](T before) { return before - value; });
}
template <class T>
T atomicMin(T* to, T value) {
  return ts_atomic(to, [=](T before) { return std::min(before, value); });
}
template <class T>
[[gnu::no_sanitize_thread]] T ts_exchanged(T* to, T value) {
  return std::exchange(*to, value);
}
template <class T>
T atomicExch(T* to, T value) {
  ts::executor::check_atomic(to, sizeof(T), false);
  return ts_exchanged(to, value);
}
template <class T>
T atomicCAS(T* to, T expected, T value) {
  return ts_atomic(to, [=](T before) { return before == expected ? value : before; });
}
template <class T>
T atomicAnd(T* to, T value) {
  return ts_atomic(to, [=](T before) { return before & value; });
}
template <class T>
T atomicOr(T* to, T value) {
  return ts_atomic(to, [=](T before) { return before | value; });
}
inline unsigned atomicInc(unsigned* to, unsigned most) {
  return ts_atomic(to, [=](unsigned before) { return before >= most ? 0 : before + 1; });
}

inline void __threadfence_system() {}

// cuda_pipeline.h: the bytes arrive when the thread waits for their group.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0) {
  ts::executor::copy_later(to, from, bytes - zeros, zeros);
}
inline void __pipeline_commit() {
  ts::executor::close_copy_group();
}
inline void __pipeline_wait_prior(std::size_t groups_left) {
  ts::executor::wait_for_copies(static_cast<int>(groups_left));
}
