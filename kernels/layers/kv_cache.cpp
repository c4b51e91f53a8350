#include "kernels/layers/kv_cache.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>

namespace ts::kernels {
namespace {

// Puts tokens from `position` on into their places; of more than there are places the last ones.
void write(const at::Tensor& kept, const at::Tensor& tokens, std::int64_t position) {
  const std::int64_t length = kept.size(2);
  const std::int64_t left_out = std::max<std::int64_t>(tokens.size(2) - length, 0);
  for (std::int64_t done = left_out; done < tokens.size(2);) {
    const std::int64_t place = (position + done) % length;
    const std::int64_t count = std::min(tokens.size(2) - done, length - place);
    kept.narrow(2, place, count).copy_(tokens.narrow(2, done, count));
    done += count;
  }
}

}  // namespace

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
  write(k_, k, position);
  if (v_.defined()) write(v_, v, position);
  const std::int64_t length = k_.size(2);
  if (k.size(2) > length) return {k, v};
  const std::int64_t kept = std::min(position + k.size(2), length);
  return {k_.narrow(2, 0, kept), v_.defined() ? v_.narrow(2, 0, kept) : at::Tensor()};
}

}  // namespace ts::kernels
