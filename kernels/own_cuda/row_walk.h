#pragma once

#include <type_traits>

#include "core/report/row_launch.h"
#include "kernels/own_cuda/device.h"

// NAME_TYPE for each type of numbers, of the problem Problem<Number>; `launch`: a
// report::RowLaunch.
#define TENSORSCOPE_ROW_KERNEL(name, launch, Problem, Number, type)                \
  TENSORSCOPE_KERNEL_WITHIN(name##_##type, ts::kernels::own_cuda::Problem<Number>, \
                            TENSORSCOPE_BOUNDS(launch), ts::kernels::own_cuda::name<Number>)
#define TENSORSCOPE_ROW_KERNELS(name, launch, Problem)                             \
  TENSORSCOPE_ROW_KERNEL(name, launch, Problem, float, fp32)                       \
  TENSORSCOPE_ROW_KERNEL(name, launch, Problem, ts::kernels::own_cuda::Bf16, bf16) \
  TENSORSCOPE_ROW_KERNEL(name, launch, Problem, ts::kernels::own_cuda::Fp16, fp16)

// The bounds of a kernel that is launched so: two blocks fit a multiprocessor, the largest ones.
#define TENSORSCOPE_BOUNDS(launch)                             \
  (ts::report::most_threads_of(ts::report::RowLaunch::launch), \
   ts::report::most_threads_of(ts::report::RowLaunch::launch) > 512 ? 1 : 2)

// How the threads of a block walk over rows: sixteen bytes at once where every row begins at a
// multiple of them, else number by number. A kernel that waits for memory is as fast as the bytes
// that it has asked for: a thread asks for all that it holds of a row before it uses any of it.
namespace ts::kernels::own_cuda {

template <int count>
struct Floats {
  float of[count];
};
// Numbers that are read and written one by one.
template <class Number, int count>
struct Singles {
  Number of[count];
};
// Sixteen bytes, as the registers have them; or one number.
template <class Number, int count>
struct alignas(report::kPackBytes) Pack {
  static_assert(count * sizeof(Number) == report::kPackBytes);
  std::uint32_t words[report::kPackBytes / 4];
};
template <class Number>
struct Pack<Number, 1> : Singles<Number, 1> {};

// Numbers of sixteen bytes.
template <class Number>
constexpr int kAtOnce = report::kPackBytes / static_cast<int>(sizeof(Number));

// True if rows of this width can be read so. A null pointer can.
template <class Number, class... Pointers>
__device__ inline bool in_packs(int width, Pointers... rows) {
  const std::uint64_t bits = (reinterpret_cast<std::uint64_t>(rows) | ...);
  return width % kAtOnce<Number> == 0 && bits % report::kPackBytes == 0;
}

template <int count, class Number>
__device__ inline Pack<Number, count> load(const Number* from) {
  return *reinterpret_cast<const Pack<Number, count>*>(from);
}
// From where no thread of the launch writes: the load may come before stores that stand above it.
template <int count, class Number>
__device__ inline Pack<Number, count> load_constant(const Number* from) {
#ifdef __CUDACC__
  if constexpr (count * sizeof(Number) == sizeof(uint4)) {
    return __builtin_bit_cast(Pack<Number, count>, __ldg(reinterpret_cast<const uint4*>(from)));
  }
#endif
  return load<count>(from);
}
template <class Number, int count>
__device__ inline Floats<count> widened(const Singles<Number, count>& singles) {
  Floats<count> wide;
#pragma unroll
  for (int i = 0; i < count; ++i) wide.of[i] = widen(singles.of[i]);
  return wide;
}
template <class Number, int count>
__device__ inline void narrow(const Floats<count>& wide, Singles<Number, count>& to) {
#pragma unroll
  for (int i = 0; i < count; ++i) narrow(wide.of[i], to.of[i]);
}

// Two numbers of 16 bits in a word, the first in the lower half.
template <class Number>
__device__ inline void widen_two(std::uint32_t both, float& first, float& second) {
#ifdef __CUDACC__
  if constexpr (Number::kBf16) {
    first = __uint_as_float(both << 16U);
    second = __uint_as_float(both & 0xFFFF0000U);
  } else {
    asm("{.reg .b16 low, high;\n mov.b32 {low, high}, %2;\n"
        "cvt.f32.f16 %0, low;\n cvt.f32.f16 %1, high;}"
        : "=f"(first), "=f"(second)
        : "r"(both));
  }
#else
  first = widen(Number{static_cast<std::uint16_t>(both)});
  second = widen(Number{static_cast<std::uint16_t>(both >> 16U)});
#endif
}

template <class Number, int count>
__device__ inline Floats<count> widened(const Pack<Number, count>& pack) {
  Floats<count> wide;
#pragma unroll
  for (int i = 0; i < report::kPackBytes / 4; ++i) {
    if constexpr (sizeof(Number) == 2) {
      widen_two<Number>(pack.words[i], wide.of[2 * i], wide.of[2 * i + 1]);
    } else {
      memcpy(&wide.of[i], &pack.words[i], sizeof(float));
    }
  }
  return wide;
}
template <class Number, int count>
__device__ inline void narrow(const Floats<count>& wide, Pack<Number, count>& to) {
#pragma unroll
  for (int i = 0; i < report::kPackBytes / 4; ++i) {
    if constexpr (sizeof(Number) == 2) {
      to.words[i] = pair_of<Number>(wide.of[2 * i], wide.of[2 * i + 1]);
    } else {
      memcpy(&to.words[i], &wide.of[i], sizeof(float));
    }
  }
}
template <class Number>
__device__ inline Floats<1> widened(const Pack<Number, 1>& one) {
  return {widen(one.of[0])};
}
template <class Number>
__device__ inline void narrow(const Floats<1>& wide, Pack<Number, 1>& to) {
  narrow(wide.of[0], to.of[0]);
}
template <int count, class Number>
__device__ inline void store(const Floats<count>& wide, Number* to) {
  Pack<Number, count> pack;
  narrow(wide, pack);
  *reinterpret_cast<Pack<Number, count>*>(to) = pack;
}

// The row of a thread: threads along x share it, and a block has several along y only where they
// are one warp each.
__device__ inline int row_of_thread() {
  return static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
}

// The packs of one row that a thread has, of several tensors with the same place for each number:
// every blockDim.x-th, the first ones in registers. The rest of a very wide row is read again in
// each walk.
template <class Number, int count, int tensors = 1>
class HeldRows {
 public:
  using Packs = Pack<Number, count>[tensors];

  template <class... Pointers>
  __device__ explicit HeldRows(int width, const Pointers*... rows) : rows_{rows...}, width_(width) {
    fill<kHeld>(first(), packs_);
  }

  // Calls what(column, packs of the tensors) for each, in order.
  template <class What>
  __device__ void each(const What& what) const {
    held(what);
    further(what);
  }
  // The same for those in registers, and for the others.
  template <class What>
  __device__ void held(const What& what) const {
    call<kHeld>(first(), packs_, what);
  }
  template <class What>
  __device__ void further(const What& what) const {
#pragma unroll 1
    for (int column = first() + kHeld * step(); column < width_; column += kFurther * step()) {
      Packs packs[kFurther];
      fill<kFurther>(column, packs);
      call<kFurther>(column, packs, what);
    }
  }

 private:
  static constexpr int kHeld = report::kPacksOfRow;
  static constexpr int kFurther = tensors == 1 ? 2 : 1;  // at once; registers end here

  __device__ static int first() {
    return static_cast<int>(threadIdx.x) * count;
  }
  __device__ static int step() {
    return static_cast<int>(blockDim.x) * count;
  }
  template <int some>
  __device__ void fill(int column, Packs* packs) const {
#pragma unroll
    for (int k = 0; k < some; ++k) {
      const int at = column + k * step();
#pragma unroll
      for (int t = 0; t < tensors; ++t) {
        if (at < width_) packs[k][t] = load<count>(rows_[t] + at);
      }
    }
  }
  template <int some, class What>
  __device__ void call(int column, const Packs* packs, const What& what) const {
    // Without branches between them, packs are worked on at the same time.
    if (column + (some - 1) * step() < width_) {
#pragma unroll
      for (int k = 0; k < some; ++k) what(column + k * step(), packs[k]);
    } else {
#pragma unroll
      for (int k = 0; k < some - 1; ++k) {
        if (column + k * step() < width_) what(column + k * step(), packs[k]);
      }
    }
  }

  const Number* rows_[tensors];
  int width_;
  Packs packs_[kHeld];
};

// The sums over the threads of a row, for all of them, always in the same order. Calls of a kernel
// that follow each other have different turns.
template <int turn, int count>
__device__ inline Floats<count> sums_of_row(Floats<count> sums) {
#pragma unroll
  for (int i = 0; i < count; ++i) sums.of[i] = warp_sum(sums.of[i]);
  if (blockDim.x == 32) return sums;
  __shared__ Floats<count> of_warps[report::kMostWarpsOfRow];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sums;
  __syncthreads();
  sums = of_warps[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
#pragma unroll
    for (int i = 0; i < count; ++i) sums.of[i] += of_warps[warp].of[i];
  }
  return sums;
}
template <int turn>
__device__ inline float sum_of_row(float x) {
  return sums_of_row<turn>(Floats<1>{x}).of[0];
}

// exp(x - base). What is rounded to 16 bits anyway comes from the card's exp2, whose error is
// 2^-22.
template <class Number>
__device__ inline float exp_above(float x, float base) {
  if constexpr (sizeof(Number) == 2) return power_of_two((x - base) * kLog2E);
  return expf(x - base);
}

// A sum of exponentials that grows by some numbers at a time, with one exponential besides theirs:
// `sum` is that of exp(x - largest) of all so far (Milakov and Gimelshein 2018, algorithm 3).
template <class Number>
struct RunningSum {
  float largest = kLowest, sum = 0;

  // All numbers of a thread's part of a row; for those that it holds, one exponential more.
  template <int count>
  __device__ void add(const HeldRows<Number, count>& x) {
    float held = largest;
    x.held([&](int, const Pack<Number, count>* of) { held = larger(held, widened(of[0])); });
    rise(held);
    const float base = base_of(largest);
    x.held([&](int, const Pack<Number, count>* of) { add_above(base, widened(of[0])); });
    x.further([&](int, const Pack<Number, count>* of) {
      const Floats<count> some = widened(of[0]);
      rise(larger(largest, some));
      add_above(base_of(largest), some);
    });
  }
  // The sum of the threads of a row, for all of them.
  __device__ void add_threads() {
    rise(warp_largest(largest));
    sum = warp_sum(sum);
    if (blockDim.x == 32) return;
    __shared__ float largests[report::kMostWarpsOfRow], sums[report::kMostWarpsOfRow];
    const unsigned warps = blockDim.x / 32;
    if (threadIdx.x % 32 == 0) {
      largests[threadIdx.x / 32] = largest;
      sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    largest = largests[0];
    for (unsigned warp = 1; warp < warps; ++warp) largest = fmaxf(largest, largests[warp]);
    const float base = base_of(largest);
    sum = 0;
    for (unsigned warp = 0; warp < warps; ++warp)
      sum += sums[warp] * exp_above<Number>(largests[warp], base);
  }

 private:
  // NaN is not larger, and stays in the sum.
  template <int count>
  __device__ static float larger(float than, const Floats<count>& x) {
#pragma unroll
    for (int i = 0; i < count; ++i) than = x.of[i] > than ? x.of[i] : than;
    return than;
  }
  __device__ void rise(float to) {
    sum *= exp_above<Number>(largest, base_of(to));
    largest = to;
  }
  template <int count>
  __device__ void add_above(float base, const Floats<count>& x) {
#pragma unroll
    for (int i = 0; i < count; ++i) sum += exp_above<Number>(x.of[i], base);
  }
};

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

// The columns of a thread in a walk down rows, where a block has kAtOnce columns for each lane:
// they follow each other if `packed`, else they are every 32nd. The warps of a block share its
// rows.
template <bool packed, class Number>
class Columns {
 public:
  static constexpr int kCount = kAtOnce<Number>;
  using Of = std::conditional_t<packed, Pack<Number, kCount>, Singles<Number, kCount>>;
  using Sums = ColumnSum[kCount];

  __device__ explicit Columns(int width)
      : begin_(static_cast<int>(blockIdx.x) * 32 * kCount), width_(width) {}

  // Zeros past the width.
  __device__ Of load_from(const Number* row) const {
    Of of{};
    if constexpr (packed) {
      if (column(0) < width_) of = load<kCount>(row + column(0));
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (column(i) < width_) of.of[i] = row[column(i)];
      }
    }
    return of;
  }
  __device__ void store_to(Number* row, const Floats<kCount>& wide) const {
    if constexpr (packed) {
      if (column(0) < width_) store(wide, row + column(0));
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (column(i) < width_) narrow(wide.of[i], row[column(i)]);
      }
    }
  }
  // Adds up the warps of the block. Calls that follow each other have different turns.
  template <int turn>
  __device__ void put_sums(const Sums& sums, float* to) const {
    // A place of each 32 is left free, so that lanes do not meet in a bank.
    __shared__ float of_warps[report::kColumnWarps][33 * kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int at = column(i) - begin_;
      of_warps[threadIdx.y][at + at / 32] = sums[i].sum;
    }
    __syncthreads();
    for (int at = static_cast<int>(threadIdx.y * 32 + threadIdx.x); at < 32 * kCount;
         at += 32 * report::kColumnWarps) {
      ColumnSum all;
#pragma unroll
      for (const float(&of_warp)[33 * kCount] : of_warps) all.add(of_warp[at + at / 32]);
      if (begin_ + at < width_) to[begin_ + at] = all.sum;
    }
  }

 private:
  __device__ int column(int i) const {
    const int lane = static_cast<int>(threadIdx.x);
    return begin_ + (packed ? lane * kCount + i : lane + 32 * i);
  }

  int begin_, width_;
};

// The block of rows of a block of threads: from the last rows to the first, as the kernel before
// has read the last rows last, and a cache may still have them.
__device__ inline int block_of_rows() {
  return static_cast<int>(gridDim.y - 1 - blockIdx.y);
}
// Calls what(row, end) for the first of each kRowsAtOnce rows that a warp has of a block: every
// kColumnWarps-th from `row` on, below `end`.
constexpr int kRowsAtOnce = 4;
template <class What>
__device__ inline void each_rows(int rows_of_block, int rows, const What& what) {
  const int first = block_of_rows() * rows_of_block, end = min(first + rows_of_block, rows);
#pragma unroll 1
  for (int row = first + static_cast<int>(threadIdx.y); row < end;
       row += kRowsAtOnce * report::kColumnWarps) {
    what(row, end);
  }
}

// A lane a column: adds up the sums of blocks of rows, of which each warp has some. First a warp's
// own, then all of the block; calls of the second that follow each other have different turns.
__device__ inline float sum_of_blocks(const float* partial, int blocks, int width) {
  const int column = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  ColumnSum sum;
  if (column >= width) return 0;
#pragma unroll 8
  for (int block = static_cast<int>(threadIdx.y); block < blocks; block += report::kSumWarps)
    sum.add(partial[std::int64_t{block} * width + column]);
  return sum.sum;
}
template <int turn, class Number>
__device__ inline void put_sum_of_blocks(float sum, int width, Number* to) {
  __shared__ float of_warps[report::kSumWarps][32];
  of_warps[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  const int column = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (threadIdx.y != turn || column >= width) return;
  ColumnSum all;
#pragma unroll 8
  for (const float(&of_warp)[32] : of_warps) all.add(of_warp[threadIdx.x]);
  narrow(all.sum, to[column]);
}

}  // namespace ts::kernels::own_cuda
