#pragma once

#include "kernels/own/number.h"
#include "kernels/own/vector.h"

// A row of numbers of any type as vectors of fp32. All names are local (see vector.h).
namespace ts::kernels::own {
namespace {

using Index = std::int64_t;

// The numbers of a row that a vector holds: all of its lanes, or the first ones at the end of the
// row.
struct Whole {};
struct Part {
  Index lanes;
};

using Bits = std::uint32_t __attribute__((vector_size(TENSORSCOPE_VECTOR_BYTES)));
using HalfBits = std::uint16_t __attribute__((vector_size(TENSORSCOPE_VECTOR_BYTES / 2)));

inline Vector load(const float* from, Whole /*lanes*/, float /*fill*/ = 0) {
  return load(from);
}
inline Vector load(const Bf16* from, Whole /*lanes*/, float /*fill*/ = 0) {
  HalfBits bits;
  __builtin_memcpy(&bits, from, sizeof bits);
  return reinterpret_cast<Vector>(__builtin_convertvector(bits, Bits) << 16U);
}
inline Vector load(const Fp16* from, Whole /*lanes*/, float /*fill*/ = 0) {
  Vector x;
  for (Index i = 0; i < kLanes; ++i) x[i] = widen(from[i]);
  return x;
}
// `fill` in the lanes behind the row.
template <class Number>
inline Vector load(const Number* from, Part part, float fill = 0) {
  Vector x = all(fill);
  for (Index i = 0; i < part.lanes; ++i) x[i] = widen(from[i]);
  return x;
}

inline void store(float* to, Vector x, Whole /*lanes*/) {
  store(to, x);
}
// As narrow() of number.h.
inline void store(Bf16* to, Vector x, Whole /*lanes*/) {
  const Bits bits = reinterpret_cast<Bits>(x);
  const Bits rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  const Bits nan = Bits{} + 0x7FC0U;
  const auto half = __builtin_convertvector(x != x ? nan : rounded, HalfBits);
  __builtin_memcpy(to, &half, sizeof half);
}
inline void store(Fp16* to, Vector x, Whole /*lanes*/) {
  for (Index i = 0; i < kLanes; ++i) narrow(x[i], to[i]);
}
template <class Number>
inline void store(Number* to, Vector x, Part part) {
  for (Index i = 0; i < part.lanes; ++i) narrow(x[i], to[i]);
}

// Four partial sums by turns: no addition waits for the one before, and rounding errors are fewer.
struct RowSum {
  Vector parts[4] = {};
  [[nodiscard]] float total() const {
    return sum_of((parts[0] + parts[1]) + (parts[2] + parts[3]));
  }
};

// Calls visit(c, turn, lanes) for the vectors of a row: the column of the first number, 0 to 3 by
// turns, and Whole or Part.
template <class Visit>
[[gnu::always_inline]] inline void each_vector(Index width, Visit visit) {
  Index c = 0;
  for (; c + 4 * kLanes <= width; c += 4 * kLanes) {
    visit(c, 0, Whole{});
    visit(c + kLanes, 1, Whole{});
    visit(c + 2 * kLanes, 2, Whole{});
    visit(c + 3 * kLanes, 3, Whole{});
  }
  for (; c + kLanes <= width; c += kLanes) visit(c, 0, Whole{});
  if (c < width) visit(c, 0, Part{width - c});
}

constexpr float kLowest = -__builtin_inff();

// The largest number of a row, NaN left out.
template <class Number>
float largest_of(const Number* x, Index width) {
  Vector largest[4] = {all(kLowest), all(kLowest), all(kLowest), all(kLowest)};
  each_vector(width, [&](Index c, int turn, auto lanes) {
    largest[turn] = larger(load(x + c, lanes, kLowest), largest[turn]);
  });
  const Vector of_lanes = larger(larger(largest[0], largest[1]), larger(largest[2], largest[3]));
  float found = kLowest;
  for (Index i = 0; i < kLanes; ++i) found = of_lanes[i] > found ? of_lanes[i] : found;
  return found;
}

// The sum of exp(x - largest) of a row.
template <class Number>
float sum_of_exponentials(const Number* x, Index width, float largest) {
  RowSum sum;
  each_vector(width, [&](Index c, int turn, auto lanes) {
    sum.parts[turn] += exp(load(x + c, lanes, kLowest) - largest);
  });
  return sum.total();
}

}  // namespace
}  // namespace ts::kernels::own
