#pragma once

#include <cstdint>

// Numbers of 16 bits in memory, and their conversion. Compiled once for each set of instructions,
// so everything here is local to its source (see vector.h).
namespace ts::kernels::own {
namespace {

struct Bf16 {
  std::uint16_t bits;
};
using Fp16 = _Float16;

inline float widen(float x) {
  return x;
}
inline double widen(double x) {
  return x;
}
inline float widen(Fp16 x) {
  return static_cast<float>(x);
}
inline float widen(Bf16 x) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16U);
}

inline void narrow(double x, double& to) {
  to = x;
}
inline void narrow(float x, float& to) {
  to = x;
}
inline void narrow(double x, float& to) {
  to = static_cast<float>(x);
}
inline void narrow(float x, Fp16& to) {
  to = static_cast<Fp16>(x);
}
inline void narrow(double x, Fp16& to) {
  to = static_cast<Fp16>(x);
}
// To the nearest number, ties to even. NaN stays NaN.
inline void narrow(float x, Bf16& to) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  to.bits = static_cast<std::uint16_t>(x != x ? 0x7FC0U : rounded);
}
inline void narrow(double x, Bf16& to) {
  narrow(static_cast<float>(x), to);
}

}  // namespace
}  // namespace ts::kernels::own
