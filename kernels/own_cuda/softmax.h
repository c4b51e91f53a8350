#pragma once

namespace ts::kernels::own_cuda {

// y = exp(x - max) / sum of these, of rows [rows][width]. The backward reads y and d_y.
template <class Number>
struct Softmax {
  const Number* x;
  Number* y;
  const Number* d_y;  // from here on for the backward only
  Number* d_x;
  int rows, width;
};

}  // namespace ts::kernels::own_cuda
