#pragma once

#include "kernels/own_cuda/device.h"

// How the lanes of a warp walk over a row: sixteen bytes at once where every row begins at a
// multiple of them, else number by number. A kernel that waits for memory is as fast as the bytes
// that it has asked for.
namespace ts::kernels::own_cuda {

template <class Number, int count>
struct alignas(count * sizeof(Number)) Pack {
  Number of[count];
};

// Numbers of sixteen bytes.
template <class Number>
constexpr int kAtOnce = 16 / static_cast<int>(sizeof(Number));

// True if rows of this width can be read so. A null pointer can.
template <class Number, class... Pointers>
__device__ inline bool in_packs(int width, Pointers... rows) {
  const std::uint64_t bits = (reinterpret_cast<std::uint64_t>(rows) | ...);
  return width % kAtOnce<Number> == 0 && bits % 16 == 0;
}

template <int count, class Number>
__device__ inline Pack<Number, count> load(const Number* from) {
  return *reinterpret_cast<const Pack<Number, count>*>(from);
}
template <class Number, int count>
__device__ inline Floats<count> widened(const Pack<Number, count>& pack) {
  Floats<count> wide;
#pragma unroll
  for (int i = 0; i < count; ++i) wide.of[i] = widen(pack.of[i]);
  return wide;
}
template <int count, class Number>
__device__ inline void store(const Pack<Number, count>& pack, Number* to) {
  *reinterpret_cast<Pack<Number, count>*>(to) = pack;
}

// A sum of many numbers by one thread, with what rounding took from it (Kahan 1965): a column is as
// long as there are rows, and PyTorch adds it up in a tree.
struct ColumnSum {
  float sum = 0, lost = 0;

  __device__ void add(float x) {
    const float wanted = x - lost;
    const float now = sum + wanted;
    lost = (now - sum) - wanted;
    if (lost != lost) lost = 0;  // of infinity nothing is lost
    sum = now;
  }
};

}  // namespace ts::kernels::own_cuda
