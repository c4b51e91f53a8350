#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ts::kernels {

// A convolution as oneDNN gets it on cpu.
struct Convolution {
  at::Tensor input, weight;  // sizes and type; [N, C, ...], [K, C / groups, ...]
  std::vector<std::int64_t> output;
  std::vector<std::int64_t> stride, padding, dilation;
  std::int64_t groups = 1;
  bool transposed = false;  // weight: [C, K / groups, ...]
  bool bias = false;
  bool channels_last = false;
};

// The blocks of one of its three primitives. A tensor that already lies as the primitive wants it
// is not copied.
struct PrimitiveBlocks {
  std::int64_t first = 0;    // bytes of the copy of the first operand; 0: none
  std::int64_t second = 0;   // of the second
  std::int64_t result = 0;   // of the result in the primitive's own layout
  std::int64_t scratch = 0;  // bytes while it runs
  // Not empty if the result lies untiled, yet not as a contiguous tensor.
  std::vector<std::int64_t> result_strides;
};
struct ConvolutionLayouts {
  PrimitiveBlocks forward;    // input, weight, output
  PrimitiveBlocks to_input;   // gradient of the output, weight, gradient of the input
  PrimitiveBlocks to_weight;  // gradient of the output, input, gradient of the weight
};

// The answer of the oneDNN in LibTorch for this machine's processor and the thread's number of
// threads. Nothing is computed and no tensor is touched: oneDNN describes a primitive before it
// makes it. Its functions are no part of LibTorch's interface (local_functions.h). Nothing where
// they are not found or oneDNN has no such primitive. Cached. Any thread.
std::optional<ConvolutionLayouts> convolution_layouts(const Convolution& convolution);

}  // namespace ts::kernels
