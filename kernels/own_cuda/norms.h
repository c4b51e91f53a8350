#pragma once

namespace ts::kernels::own_cuda {

// y = (x - mean) scale w + b (LayerNorm), or y = x scale w (RMSNorm). x, y, d_y, d_x
// [rows][width], w, b, d_w, d_b [width], mean, scale [rows]; partial_w, partial_b [blocks of
// rows][width]. RMSNorm has no mean, b, d_b and partial_b: null.
template <class Number>
struct Norm {
  const Number *x, *w, *b;
  Number* y;
  float *mean, *scale;  // written by the forward, read by the backward
  const Number* d_y;    // from here on for the backward only
  Number *d_x, *d_w, *d_b;
  float *partial_w, *partial_b;
  int rows, width;
  int rows_of_block;  // that a block of the backward adds
  int centred;        // LayerNorm
  float epsilon;
};

}  // namespace ts::kernels::own_cuda
