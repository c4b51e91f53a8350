#pragma once

#include "kernels/own/instructions.h"
#include "kernels/own/number.h"

// The type of the numbers of a call, found once a call. Local to its source (see vector.h).
namespace ts::kernels::own {
namespace {

// Calls compute(Number{}) with the type in memory.
template <class Compute>
void by_element(Element element, Compute compute) {
  switch (element) {
    case Element::fp64:
#ifndef TENSORSCOPE_INSTRUCTIONS  // vectors are of fp32
      return compute(double{});
#endif
    case Element::fp32:
      return compute(float{});
    case Element::bf16:
      return compute(Bf16{});
    case Element::fp16:
      return compute(Fp16{});
  }
}

}  // namespace
}  // namespace ts::kernels::own
