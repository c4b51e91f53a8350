#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/layers/builder.h"

namespace ts::kernels {

// Keys and values of one layer, or what they are made of in one tensor, made once. The first
// `length` positions are filled from the left. If there are more, each takes the place of the one
// that is `length` before it, so that the last `length` are kept, in no order: enough for a window
// of so many keys.
class KvCache {
 public:
  // Two tensors [B, H_kv, length, d_head], kept as inputs.
  KvCache(Builder& builder, std::int64_t batch, std::int64_t kv_heads, std::int64_t length,
          std::int64_t d_head);
  // One tensor [B, 1, length, width].
  KvCache(Builder& builder, std::int64_t batch, std::int64_t length, std::int64_t width);
  struct Filled {
    at::Tensor k, v;  // [B, H_kv, position + n or length, d_head], views
  };
  // Writes k and v [B, H_kv, n, d_head] from `position` on; returns everything that is kept then.
  // Of more than `length` tokens at once the last are kept, and k and v returned, since earlier
  // queries see earlier keys. v is undefined where there is one tensor.
  Filled extend(const at::Tensor& k, const at::Tensor& v, std::int64_t position);

 private:
  at::Tensor k_;
  at::Tensor v_;
};

// The part of a context that a forward processes.
struct ContextPart {
  std::int64_t position = 0;  // of the first token
  KvCache* cache = nullptr;   // holds all earlier positions; null: there are none
};

}  // namespace ts::kernels
