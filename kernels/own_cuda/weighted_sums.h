#pragma once

namespace ts::kernels::own_cuda {

// x, d_x [rows][width], w, d_w [width], y, d_y [rows]; partial [blocks of rows][width].
template <class Number>
struct WeightedSum {
  const Number *x, *w;
  Number* y;
  const Number* d_y;  // from here on for the backward only
  Number *d_x, *d_w;
  float* partial;
  int rows, width;
  int rows_of_block;  // that a block of the backward adds
};

}  // namespace ts::kernels::own_cuda
