#include "kernels/attention/mask.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_and.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/sub.h>

namespace ts::kernels {
namespace {

// The positions of a range, int64.
at::Tensor positions(const spec::Masking::Range& range, const at::TensorOptions& options) {
  return at::arange(range.begin, range.end, options.dtype(at::kLong));
}

// Hidden by one more rule.
void also(at::Tensor& hidden, const at::Tensor& rule) {
  hidden = hidden.defined() ? at::bitwise_or(hidden, rule) : rule;
}

}  // namespace

at::Tensor lengths_of(const spec::Masking& masks, const RowsOfBatch& rows, std::int64_t keys,
                      const at::TensorOptions& options) {
  if (masks.padding == 0) return {};
  at::Tensor lengths = at::empty({rows.count, 1, 1, 1}, options.dtype(at::kLong));
  if (lengths.is_meta()) return lengths;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    lengths.select(0, i).fill_(keys - spec::padded_keys(masks.padding, rows.first + i, rows.all));
  }
  return lengths;
}

at::Tensor hidden_keys(const spec::Masking& masks, const Places& places, const at::Tensor& lengths,
                       const at::TensorOptions& options) {
  const at::Tensor query = positions(places.queries, options).unsqueeze(1);
  const at::Tensor key = positions(places.keys, options).unsqueeze(0);
  at::Tensor hidden;
  if (masks.causal) also(hidden, at::gt(key, query));
  if (masks.window > 0) {
    const at::Tensor behind = at::sub(query, key);
    also(hidden, at::ge(masks.causal ? behind : at::abs(behind), masks.window));
  }
  if (masks.packed > 0) {
    also(hidden,
         at::ne(at::div(query, masks.packed, "floor"), at::div(key, masks.packed, "floor")));
  }
  if (masks.padding > 0) {
    const at::Tensor padded = at::ge(key, lengths);
    also(hidden, places.same ? at::bitwise_and(padded, at::ne(key, query)) : padded);
  }
  return hidden;
}

}  // namespace ts::kernels
