#include "kernels/layers/kv_cache.h"

#include <ATen/ops/zeros.h>

#include <array>

namespace ts::kernels {

KvCache::KvCache(Builder& builder, std::int64_t batch, std::int64_t kv_heads, std::int64_t length,
                 std::int64_t d_head) {
  const std::array sizes = {batch, kv_heads, length, d_head};
  k_ = builder.keep_input(at::zeros(sizes, builder.options()));
  v_ = builder.keep_input(at::zeros(sizes, builder.options()));
}

KvCache::KvCache(Builder& builder, std::int64_t batch, std::int64_t length, std::int64_t width)
    : k_(builder.keep_input(
          at::zeros(std::array<std::int64_t, 4>{batch, 1, length, width}, builder.options()))) {}

KvCache::Filled KvCache::extend(const at::Tensor& k, const at::Tensor& v, std::int64_t position) {
  const std::int64_t added = k.size(2);
  k_.narrow(2, position, added).copy_(k);
  if (!v_.defined()) return {k_.narrow(2, 0, position + added), {}};
  v_.narrow(2, position, added).copy_(v);
  return {k_.narrow(2, 0, position + added), v_.narrow(2, 0, position + added)};
}

}  // namespace ts::kernels
