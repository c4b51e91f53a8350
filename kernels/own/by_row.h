#pragma once

#include "kernels/own/instructions.h"
#include "kernels/own/number.h"
#include "kernels/own/row_kernels.h"

// A kernel made of functions for one row. All names are local to their source (see vector.h).
namespace ts::kernels::own {
namespace {

using Index = std::int64_t;

#ifdef TENSORSCOPE_INSTRUCTIONS  // vectors are of fp32
using Sum = float;
#else
using Sum = double;
#endif

inline const Sum* sums(const void* data) {
  return static_cast<const Sum*>(data);
}
inline Sum* sums(void* data) {
  return static_cast<Sum*>(data);
}

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

// The numbers of a row.
template <class Number>
const Number* row_of(const void* data, Index row, Index width) {
  return static_cast<const Number*>(data) + row * width;
}
template <class Number>
Number* row_of(void* data, Index row, Index width) {
  return static_cast<Number*>(data) + row * width;
}

// Calls Row::forward<Number>(rows, row) or Row::backward<Number>(rows, row) for one row after the
// other.
template <class Row, class Rows>
constexpr RowKernel<Rows> by_row() {
  return {.fp64_sums = sizeof(Sum) == sizeof(double),
          .forward =
              [](const Rows& in) {
                by_element(in.element, [&]<class Number>(Number /*type*/) {
                  for (Index row = 0; row < in.rows; ++row) Row::template forward<Number>(in, row);
                });
              },
          .backward =
              [](const Rows& in) {
                by_element(in.element, [&]<class Number>(Number /*type*/) {
                  for (Index row = 0; row < in.rows; ++row) Row::template backward<Number>(in, row);
                });
              }};
}

}  // namespace
}  // namespace ts::kernels::own
