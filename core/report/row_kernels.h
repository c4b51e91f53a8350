#pragma once

#include <array>
#include <string>

#include "core/report/row_launch.h"

// Our kernels in CUDA C++ whose rows are independent, as whoever shows them needs them: norms,
// softmax, weighted sum and cross entropy. All run from sm_75 on and share no dynamic memory.
namespace ts::report {

// Bytes of global memory are sums of these, each number once: a row that is read again is in a
// cache.
struct RowBytes {
  double numbers;   // of the rows [rows][width], in the type of the tensors
  double floats;    // of the rows, in fp32
  double per_row;   // bytes
  double partials;  // sums of blocks of rows [blocks][width], in fp32
};

struct RowKernel {
  const char* stage;     // the operator
  const char* part;      // forward, backward, ...
  const char* function;  // the name of a kernel is FUNCTION_TYPE
  RowLaunch launch;
  RowBytes bytes;
  double flops;  // a number of the rows

  [[nodiscard]] std::string kernel(const std::string& type) const {
    return function + ("_" + type);
  }
};

inline constexpr std::array kRowKernels = std::to_array<RowKernel>({
    {"weighted_sum", "forward", "weighted_sum_forward", RowLaunch::rows, {1, 0, 2, 0}, 2},
    {"weighted_sum", "backward", "weighted_sum_backward", RowLaunch::columns, {2, 0, 2, 1}, 3},
    {"weighted_sum", "d_w", "weighted_sum_add", RowLaunch::sums, {0, 0, 0, 1}, 0},
    {"norm", "forward", "norm_forward", RowLaunch::rows, {2, 0, 4, 0}, 5},
    {"norm", "d_x", "norm_backward", RowLaunch::rows, {3, 0, 4, 0}, 9},
    {"norm", "d_w", "norm_backward_weights", RowLaunch::columns, {2, 0, 4, 1}, 4},
    {"norm", "d_w, sum", "norm_add", RowLaunch::sums, {0, 0, 0, 1}, 0},
    {"softmax", "forward", "softmax_forward", RowLaunch::rows, {2, 0, 0, 0}, 6},
    {"softmax", "backward", "softmax_backward", RowLaunch::rows, {3, 0, 0, 0}, 4},
    {"cross_entropy", "forward", "cross_entropy_forward", RowLaunch::rows, {1, 0, 32, 0}, 4},
    {"cross_entropy", "mean", "cross_entropy_mean", RowLaunch::one, {0, 0, 4, 0}, 0},
    {"cross_entropy", "backward", "cross_entropy_backward", RowLaunch::rows, {2, 0, 16, 0}, 4},
    {"cross_entropy", "d_x, sum", "cross_entropy_add", RowLaunch::numbers, {1, 2, 0, 0}, 1},
});

}  // namespace ts::report
