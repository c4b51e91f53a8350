// Fused attention: the blocks its kernels take, forward and backward.
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "kernels/dry_run/matmul_scratch.h"
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

// Keys and values of a narrow type are packed for the matrix units, where there are some and the
// products outweigh the packing.
bool packs_keys(const Tensor& query, const Tensor& key, const CpuTiles& tiles) {
  const at::ScalarType type = query.scalar_type();
  if (!reduced(query) || !at::native::cpublas::could_pack(type)) return false;
  const bool bf16 = type == at::kBFloat16;
  const std::int64_t length = query.size(2), heads = query.size(0) * query.size(1);
  if (std::min(length, key.size(2)) < (bf16 ? 64 : 16)) return false;
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t slices = (length + tiles.queries - 1) / tiles.queries;
  const auto of_a_thread = static_cast<double>((heads * slices + threads - 1) / threads);
  const double products = of_a_thread * static_cast<double>(tiles.queries);
  return products / static_cast<double>(heads) >= (bf16 ? 4 : 1);
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
  const bool packs = packs_keys(query, key, tiles);
  const auto even = [packs](std::int64_t size) { return packs ? size + size % 2 : size; };
  const Tensor buffer = at::empty({threads, tiles.queries * (tiles.keys + 2 + d_head)}, fp32);
  const Tensor reduced_buffer =
      at::empty({threads, tiles.queries, reduced(query) ? even(tiles.keys) : 0}, query.options());
  Tensor padded_query, packed_key, packed_value, transposed;
  if (packs) {
    const std::int64_t heads = key.size(0) * key.size(1), keys = key.size(2);
    const std::int64_t last = (keys - 1) % tiles.keys + 1;
    const std::int64_t padded_keys = (keys - 1) / tiles.keys * even(tiles.keys) + even(last);
    if (d_head % 2 != 0) {
      padded_query = at::empty({threads, tiles.queries, even(d_head)}, query.options());
    }
    packed_key = at::empty({heads, even(d_head), keys}, query.options());
    packed_value = at::empty({heads, padded_keys, d_head}, query.options());
    transposed = at::empty({threads, tiles.keys, d_head}, query.options());
  }
  return {output.transpose(1, 2), logsumexp.transpose(1, 2)};
}

// Scratch of the largest of the backward's products that oneDNN computes: those that add to the
// gradients, which are narrow: [n, k] [k, d_head]. A tile at a time, each thread its own.
std::int64_t product_scratch(const Tensor& query, const CpuTiles& tiles) {
  if (!reduced(query)) return 0;
  // Sizes alone count; nothing lies there.
  const auto of = [&](std::int64_t rows, std::int64_t columns) {
    return at::from_blob(nullptr, {rows, columns}, query.options().device(at::kCPU));
  };
  const auto add = [](const std::vector<Tensor>& operands) {
    Tensor sum = operands[2];
    at::addmm_out(sum, sum, operands[0], operands[1]);
  };
  const auto largest = [&](const Tensor& first, std::int64_t d_head) {
    std::int64_t bytes = 0;
    const std::vector<Tensor> operands = {first, of(first.size(1), d_head),
                                          of(first.size(0), d_head)};
    for (const AskedBlock& block : matmul_scratch("addmm_", operands, add)) {
      bytes = std::max(bytes, block.bytes);
    }
    return bytes;
  };
  const Tensor scores = of(tiles.queries, tiles.keys);
  return std::max(largest(scores.t(), query.size(3)), largest(scores, query.size(3)));
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
  if (const std::int64_t bytes = product_scratch(query, tiles); bytes > 0) {
    for (std::size_t i = sums.size(); i > 0; --i) {
      sums.push_back(at::empty({bytes}, query.options().dtype(at::kByte)));
    }
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
