#pragma once

#include <cstdint>

// Vectors of fp32 numbers of the width that a source is compiled for (TENSORSCOPE_VECTOR_BYTES).
// A source of one width runs only on processors that have it. So nothing here may have a copy that
// the linker shares with other sources: all names are local, and no header of the standard library
// with functions is included.
namespace ts::kernels::own {
namespace {

// kAvx2Norm for the norm of a source that is compiled for AVX2 (TENSORSCOPE_INSTRUCTIONS).
#define TENSORSCOPE_JOIN(instructions, name) k##instructions##name
#define TENSORSCOPE_JOIN_EXPANDED(instructions, name) TENSORSCOPE_JOIN(instructions, name)
#define TENSORSCOPE_KERNEL(name) TENSORSCOPE_JOIN_EXPANDED(TENSORSCOPE_INSTRUCTIONS, name)

#ifndef TENSORSCOPE_VECTOR_BYTES
#define TENSORSCOPE_VECTOR_BYTES \
  16  // every x86-64 processor: for tests, and to read this file alone
#endif
constexpr std::int64_t kLanes = TENSORSCOPE_VECTOR_BYTES / 4;

using Vector = float __attribute__((vector_size(TENSORSCOPE_VECTOR_BYTES)));
using Integers = std::int32_t __attribute__((vector_size(TENSORSCOPE_VECTOR_BYTES)));

// From and to any address. A copy of a known size becomes one instruction.
inline Vector load(const float* from) {
  Vector x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store(float* to, Vector x) {
  __builtin_memcpy(to, &x, sizeof x);
}
inline Vector all(float x) {
  return Vector{} + x;
}
// `a` is ignored where it is NaN.
inline Vector larger(Vector a, Vector b) {
  return a > b ? a : b;
}

inline float sum_of(Vector x) {
  float sum = 0;
  for (std::int64_t i = 0; i < kLanes; ++i) sum += x[i];
  return sum;
}

// e^x for x up to 80, with a relative error below 2e-7; 0 below -87.33; NaN for NaN.
// e^x = 2^n e^r with n the integer next to x / ln 2. ln 2 is subtracted n times in two parts, of
// which the first is exact (Cody and Waite 1980). The polynomial for |r| <= ln 2 / 2 is the best
// one of its degree in the relative error (Remez). Adding kRound rounds to an integer and leaves n
// + 127, the exponent of 2^n, in the lowest bits.
inline Vector exp(Vector x) {
  constexpr float kRound = 12582912.0F + 127.0F;  // 1.5 * 2^23 + 127
  const Vector rounded = x * 1.44269504F + kRound;
  const Vector n = rounded - kRound;
  const Vector r = x - n * 0.693359375F + n * 0.000212194442F;
  Vector p = all(0.00138382055F);
  p = p * r + 0.00837495551F;
  p = p * r + 0.0416682065F;
  p = p * r + 0.166664168F;
  p = p * r + 0.499999911F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const Vector y = p * reinterpret_cast<Vector>(reinterpret_cast<Integers>(rounded) << 23);
  return x < -87.33F ? Vector{} : y;
}

}  // namespace
}  // namespace ts::kernels::own
