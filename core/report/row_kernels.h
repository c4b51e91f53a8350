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
    {.stage = "weighted_sum",
     .part = "forward",
     .function = "weighted_sum_forward",
     .launch = RowLaunch::rows,
     .bytes = {1, 0, 2, 0},
     .flops = 2},
    {.stage = "weighted_sum",
     .part = "backward",
     .function = "weighted_sum_backward",
     .launch = RowLaunch::columns,
     .bytes = {2, 0, 2, 1},
     .flops = 3},
    {.stage = "weighted_sum",
     .part = "d_w",
     .function = "weighted_sum_add",
     .launch = RowLaunch::sums,
     .bytes = {0, 0, 0, 1},
     .flops = 0},
    {.stage = "norm",
     .part = "forward",
     .function = "norm_forward",
     .launch = RowLaunch::rows,
     .bytes = {2, 0, 4, 0},
     .flops = 5},
    {.stage = "norm",
     .part = "d_x",
     .function = "norm_backward",
     .launch = RowLaunch::rows,
     .bytes = {3, 0, 4, 0},
     .flops = 9},
    {.stage = "norm",
     .part = "d_w",
     .function = "norm_backward_weights",
     .launch = RowLaunch::columns,
     .bytes = {2, 0, 4, 1},
     .flops = 4},
    {.stage = "norm",
     .part = "d_w, sum",
     .function = "norm_add",
     .launch = RowLaunch::sums,
     .bytes = {0, 0, 0, 1},
     .flops = 0},
    {.stage = "softmax",
     .part = "forward",
     .function = "softmax_forward",
     .launch = RowLaunch::rows,
     .bytes = {2, 0, 0, 0},
     .flops = 6},
    {.stage = "softmax",
     .part = "backward",
     .function = "softmax_backward",
     .launch = RowLaunch::rows,
     .bytes = {3, 0, 0, 0},
     .flops = 4},
    {.stage = "cross_entropy",
     .part = "forward",
     .function = "cross_entropy_forward",
     .launch = RowLaunch::rows,
     .bytes = {1, 0, 32, 0},
     .flops = 4},
    {.stage = "cross_entropy",
     .part = "mean",
     .function = "cross_entropy_mean",
     .launch = RowLaunch::one,
     .bytes = {0, 0, 4, 0},
     .flops = 0},
    {.stage = "cross_entropy",
     .part = "backward",
     .function = "cross_entropy_backward",
     .launch = RowLaunch::rows,
     .bytes = {2, 0, 16, 0},
     .flops = 4},
    {.stage = "cross_entropy",
     .part = "d_x, sum",
     .function = "cross_entropy_add",
     .launch = RowLaunch::numbers,
     .bytes = {1, 2, 0, 0},
     .flops = 1},
});

}  // namespace ts::report
