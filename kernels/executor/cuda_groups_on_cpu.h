#pragma once

// Cooperative groups (CUDA C++ Programming Guide): the block, and tiles of a warp. A group of the
// grid is not here.

#include "kernels/executor/cuda_on_cpu.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static uint3 thread_index() { return threadIdx; }
  static uint3 group_index() { return blockIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() {
  return {};
}

template <unsigned kSize, class Parent = thread_block>
class thread_block_tile {
  static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0, "a power of two, at most a warp");

 public:
  static unsigned thread_rank() { return static_cast<unsigned>(ts::executor::lane()) % kSize; }
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / kSize; }
  static unsigned meta_group_size() { return (thread_block::size() + kSize - 1) / kSize; }
  static void sync() { __syncwarp(mask()); }
  template <class T>
  static T shfl(T value, int from) {
    return __shfl_sync(mask(), value, from, kSize);
  }
  template <class T>
  static T shfl_xor(T value, int bits) {
    return __shfl_xor_sync(mask(), value, bits, kSize);
  }
  template <class T>
  static T shfl_down(T value, unsigned by) {
    return __shfl_down_sync(mask(), value, by, kSize);
  }
  template <class T>
  static T shfl_up(T value, unsigned by) {
    return __shfl_up_sync(mask(), value, by, kSize);
  }
  static unsigned ballot(int predicate) {
    return (__ballot_sync(mask(), predicate) & mask()) >> first();
  }
  static int any(int predicate) { return ballot(predicate) != 0 ? 1 : 0; }
  static int all(int predicate) { return ballot(predicate) == mask() >> first() ? 1 : 0; }

 private:
  static unsigned first() { return static_cast<unsigned>(ts::executor::lane()) / kSize * kSize; }
  static unsigned mask() { return (0xFFFFFFFFU >> (32 - kSize)) << first(); }
};
template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent& /*of*/) {
  return {};
}
template <class Group>
void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  T operator()(T x, T y) const { return x + y; }
};
template <class T>
struct less {  // the smaller one, as CUDA has it
  T operator()(T x, T y) const { return x < y ? x : y; }
};
template <class T>
struct greater {
  T operator()(T x, T y) const { return x > y ? x : y; }
};
template <unsigned kSize, class Parent, class T, class Operator>
T reduce(const thread_block_tile<kSize, Parent>& group, T value, const Operator& both) {
  for (unsigned bits = kSize / 2; bits > 0; bits /= 2)
    value = both(value, group.shfl_xor(value, static_cast<int>(bits)));
  return value;
}

}  // namespace cooperative_groups
