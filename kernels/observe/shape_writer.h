#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

#include "core/capture/raw_record.h"

namespace ts::kernels {

// Writes sizes and types of tensors, one after the other.
struct ShapeWriter {
  capture::Shapes& shapes;
  std::size_t dims = 0;

  // False when there is no room for more. An undefined tensor takes none, and neither does one that
  // is nested or whose class is written in Python (__torch_dispatch__).
  bool add(const at::Tensor& tensor);
};

}  // namespace ts::kernels
