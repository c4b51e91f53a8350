#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/spec/masking.h"

namespace ts::kernels {

// Masks other than the causal one alone, made of operators.

// The keys that each sequence of a batch has besides its padding: int64 [B, 1, 1, 1]; undefined
// without padding. Of several ranks each has its rows of the whole batch.
struct RowsOfBatch {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t all = 0;
};
at::Tensor lengths_of(const spec::Masking& masks, const RowsOfBatch& rows, std::int64_t keys,
                      const at::TensorOptions& options);

// True where a query must not look: bool [queries, keys], [B, 1, queries, keys] with padding. For
// queries and keys of two sequences [B, 1, 1, keys], for padding is all that they can have.
// `queries` and `keys` are ranges of positions; `same`: of one sequence.
struct Places {
  spec::Masking::Range queries, keys;
  bool same = true;
};
at::Tensor hidden_keys(const spec::Masking& masks, const Places& places, const at::Tensor& lengths,
                       const at::TensorOptions& options);

}  // namespace ts::kernels
