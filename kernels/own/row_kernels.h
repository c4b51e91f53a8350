#pragma once

#include "kernels/own/instructions.h"

// Operators by hand for the CPU whose rows are independent, on plain memory, without LibTorch. A
// call computes the given rows on the calling thread; the caller divides the rows among threads.
// Rows [width] follow one another without gaps, and are of the element; "sums" are fp64 of the
// portable kernels, else fp32. Pointers of what is not asked for are null.
namespace ts::kernels::own {

// y = (x - mean) / sqrt(variance + epsilon) * weight + bias (LayerNorm), or
// y = x / sqrt(mean of squares + epsilon) * weight (RMSNorm).
struct NormRows {
  Element element = Element::fp32;
  bool centred = false;  // LayerNorm
  std::int64_t rows = 0;
  std::int64_t width = 0;
  double epsilon = 0;
  const void* x = nullptr;
  const void* weight = nullptr;  // sums [width]
  const void* bias = nullptr;    // sums [width]
  void* y = nullptr;
  void* mean = nullptr;   // sums [rows], of LayerNorm
  void* scale = nullptr;  // sums [rows]: 1 / sqrt(... + epsilon)
  // For the backward, which reads x, weight, mean, scale and d_y.
  const void* d_y = nullptr;
  void* d_x = nullptr;
  void* d_weight = nullptr;  // sums [width], to which the rows are added
  void* d_bias = nullptr;    // sums [width], to which the rows are added
};

// y = exp(x - max) / sum of these. The backward reads y and d_y.
struct SoftmaxRows {
  Element element = Element::fp32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const void* x = nullptr;
  void* y = nullptr;
  const void* d_y = nullptr;
  void* d_x = nullptr;
};

// y = sum of x * weight of each row. The backward reads x, weight and d_y.
struct WeightedSumRows {
  Element element = Element::fp32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const void* x = nullptr;
  const void* weight = nullptr;  // sums [width]
  void* y = nullptr;             // [rows]
  const void* d_y = nullptr;     // [rows]
  void* d_x = nullptr;
  void* d_weight = nullptr;  // sums [width], to which the rows are added
};

// loss = log of the sum of exp(logits) - logit of the target. `backward` does the same and puts
// the gradient of each loss, times `scale`, in the place of its logits.
struct CrossEntropyRows {
  Element element = Element::fp32;
  std::int64_t rows = 0;
  std::int64_t width = 0;                 // classes
  void* logits = nullptr;                 // read, and written by the backward
  const std::int64_t* targets = nullptr;  // [rows], each in [0, width)
  double* loss = nullptr;                 // [rows]
  double scale = 1;
};

template <class Rows>
struct RowKernel {
  bool fp64_sums;
  void (*forward)(const Rows& rows);
  void (*backward)(const Rows& rows);
};
using NormKernel = RowKernel<NormRows>;
using SoftmaxKernel = RowKernel<SoftmaxRows>;
using WeightedSumKernel = RowKernel<WeightedSumRows>;
using CrossEntropyKernel = RowKernel<CrossEntropyRows>;

extern const NormKernel kPortableNorm, kAvx2Norm, kAvx512Norm;
extern const SoftmaxKernel kPortableSoftmax, kAvx2Softmax, kAvx512Softmax;
extern const WeightedSumKernel kPortableWeightedSum, kAvx2WeightedSum, kAvx512WeightedSum;
extern const CrossEntropyKernel kPortableCrossEntropy, kAvx2CrossEntropy, kAvx512CrossEntropy;

const NormKernel& norm_kernel(Instructions instructions);
const SoftmaxKernel& softmax_kernel(Instructions instructions);
const WeightedSumKernel& weighted_sum_kernel(Instructions instructions);
const CrossEntropyKernel& cross_entropy_kernel(Instructions instructions);

}  // namespace ts::kernels::own
