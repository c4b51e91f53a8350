#pragma once

#include <cstdint>

namespace ts::kernels::own_cuda {

// The mean over rows of log(sum of exp(logits)) - logit of the target, whose logits come in chunks
// of classes, one call a chunk, in order.
template <class Number>
struct CrossEntropy {
  // [rows][width]: the classes from `first` on. The backward puts their gradients there.
  Number* logits;
  const std::int64_t* targets;  // [rows], each in [0, classes)
  float* largest;               // [rows]: the largest logit so far, m
  float* sums;                  // [rows]: of exp(logits - largest) so far, l
  float* losses;                // [rows]: the target's logit, after the last chunk the loss
  float* mean;                  // one number
  const float* d_mean;          // one number, from here on for the backward only
  Number* d_x;                  // [rows][width]: the product of a chunk; at last the sum of all
  float* d_x_sum;               // [rows][width]: the sum so far
  int rows, width;
  int first;  // class of a chunk
  int begins, ends;
};

}  // namespace ts::kernels::own_cuda
