// Fused attention: the blocks its kernels take, forward and backward.
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// The cpu kernel works in tiles of queries and keys, one buffer a thread.
// (ATen/native/cpu/FlashAttentionKernel.cpp of PyTorch 2.11.)
struct CpuTiles {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  CpuTiles(std::int64_t query_len, std::int64_t key_len) {
    const std::int64_t tile = query_len >= 768 ? 256 : query_len >= 192 ? 64 : 32;
    queries = std::min(tile, query_len);
    keys = std::min<std::int64_t>(512, key_len);
  }
};

bool reduced(const Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 || tensor.scalar_type() == at::kHalf;
}

// q, k, v: [B, H, T, d_head].
std::tuple<Tensor, Tensor> flash_for_cpu(const Tensor& query, const Tensor& key, const Tensor&,
                                         double, bool, const std::optional<Tensor>&,
                                         std::optional<double>) {
  const std::int64_t length = query.size(2), d_head = query.size(3);
  Tensor output = at::empty_like(query).transpose(1, 2);
  const auto fp32 = query.options().dtype(at::kFloat);
  Tensor logsumexp = at::empty({query.size(0), length, query.size(1)}, fp32);
  const CpuTiles tiles(length, key.size(2));
  const std::int64_t threads = at::get_num_threads();
  const Tensor buffer = at::empty({threads, tiles.queries * (tiles.keys + 2 + d_head)}, fp32);
  const Tensor reduced_buffer =
      at::empty({threads, tiles.queries, reduced(query) ? tiles.keys : 0}, query.options());
  return {output.transpose(1, 2), logsumexp.transpose(1, 2)};
}

std::tuple<Tensor, Tensor, Tensor> flash_for_cpu_backward(const Tensor& grad_out,
                                                          const Tensor& query, const Tensor& key,
                                                          const Tensor& value, const Tensor&,
                                                          const Tensor&, double, bool,
                                                          const std::optional<Tensor>&,
                                                          std::optional<double>) {
  const auto zeros = [](const Tensor& of) {
    return at::zeros(of.transpose(1, 2).sizes(), of.options());
  };
  Tensor grad_query = zeros(query), grad_key = zeros(key), grad_value = zeros(value);
  const Tensor dense_grad_out = grad_out.transpose(1, 2).contiguous();
  const CpuTiles tiles(query.size(2), key.size(2));
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t of_a_thread = 2 * tiles.queries * tiles.keys;
  const auto fp32 = query.options().dtype(at::kFloat);
  const Tensor buffer = at::empty({threads, of_a_thread}, fp32);
  const Tensor reduced_buffer =
      at::empty({threads, reduced(query) ? of_a_thread : 0}, query.options());
  // One sum a query, made by each thread that has a head to work on.
  std::vector<Tensor> sums;
  for (std::int64_t i = 0; i < std::min(threads, query.size(0) * query.size(1)); ++i) {
    sums.push_back(at::empty({tiles.queries}, fp32));
  }
  sums.clear();
  return {grad_query.transpose(1, 2), grad_key.transpose(1, 2), grad_value.transpose(1, 2)};
}

}  // namespace

void register_meta_attention(torch::Library& library) {
  library.impl("_scaled_dot_product_flash_attention_for_cpu", flash_for_cpu);
  library.impl("_scaled_dot_product_flash_attention_for_cpu_backward", flash_for_cpu_backward);
}

}  // namespace ts::kernels
