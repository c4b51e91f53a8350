#include "kernels/layers/softcap.h"

#include <ATen/ops/div.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/tanh.h>

namespace ts::kernels {

at::Tensor capped(at::Tensor x, double cap) {
  x = at::div(x, cap);
  x = at::tanh(x);
  return at::mul(x, cap);
}

}  // namespace ts::kernels
