// Fused attention: the blocks its kernels take, forward and backward.
#include <ATen/OpMathType.h>
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
// products of one thread outweigh the packing of all keys: of the key's heads, of which grouped
// queries have fewer than heads.
bool packs_keys(const Tensor& query, const Tensor& key, const CpuTiles& tiles, bool causal) {
  const at::ScalarType type = query.scalar_type();
  if (!reduced(query) || !at::native::cpublas::could_pack(type)) return false;
  const bool bf16 = type == at::kBFloat16;
  const std::int64_t length = query.size(2), keys = key.size(2);
  if (std::min(length, keys) < (bf16 ? 64 : 16)) return false;
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t slices = (length + tiles.queries - 1) / tiles.queries;
  const std::int64_t heads = query.size(0) * query.size(1);
  const auto of_a_thread = static_cast<double>((heads * slices + threads - 1) / threads);
  const auto seen = static_cast<double>(causal ? std::min(length, keys) : keys);
  const auto packed = static_cast<double>(key.size(0) * key.size(1) * keys);
  return of_a_thread * static_cast<double>(tiles.queries) * seen / packed >= (bf16 ? 4 : 1);
}

// q, k, v: [B, H, T, d_head].
std::tuple<Tensor, Tensor> flash_for_cpu(const Tensor& query, const Tensor& key, const Tensor&,
                                         double, bool causal, const std::optional<Tensor>&,
                                         std::optional<double>) {
  const std::int64_t length = query.size(2), d_head = query.size(3);
  Tensor output = at::empty_like(query).transpose(1, 2);
  const auto wide = query.options().dtype(at::toOpMathType(query.scalar_type()));
  Tensor logsumexp = at::empty({query.size(0), length, query.size(1)}, wide);
  const CpuTiles tiles(length, key.size(2));
  const std::int64_t threads = at::get_num_threads();
  const bool packs = packs_keys(query, key, tiles, causal);
  const auto even = [packs](std::int64_t size) { return packs ? size + size % 2 : size; };
  const Tensor buffer = at::empty({threads, tiles.queries * (tiles.keys + 2 + d_head)}, wide);
  const Tensor reduced_buffer =
      at::empty({threads, tiles.queries, reduced(query) ? even(tiles.keys) : 0}, query.options());
  Tensor padded_query, packed_key, packed_value, transposed;
  if (packs) {
    const std::int64_t heads = key.size(0) * key.size(1), keys = key.size(2);
    const std::int64_t last = (keys - 1) % tiles.keys + 1;
    const std::int64_t padded_keys = (keys - 1) / tiles.keys * even(tiles.keys) + even(last);
    packed_key = at::empty({heads, even(d_head), keys}, query.options());
    packed_value = at::empty({heads, padded_keys, d_head}, query.options());
    if (d_head % 2 != 0) {
      padded_query = at::empty({threads, tiles.queries, even(d_head)}, query.options());
    }
    transposed = at::empty({threads, tiles.keys, d_head}, query.options());
  }
  return {output.transpose(1, 2), logsumexp.transpose(1, 2)};
}

// The number of threads that get work from at::parallel_for: shares are equal and rounded up, so
// the last threads may get none.
std::int64_t working_threads(std::int64_t tasks) {
  const std::int64_t most = std::min<std::int64_t>(at::get_num_threads(), tasks);
  if (most <= 1) return tasks > 0 ? 1 : 0;
  const std::int64_t share = (tasks + most - 1) / most;
  return (tasks + share - 1) / share;
}

struct ProductScratch {
  std::int64_t factor = 0;  // the block for the factor of the product, made before the other
  std::int64_t bytes = 0;
  [[nodiscard]] std::int64_t total() const { return factor + bytes; }
};

// Scratch of the largest of the backward's products that oneDNN computes: those that add to the
// gradients, which are narrow: [n, k] [k, d_head]. A tile at a time, each thread its own.
ProductScratch product_scratch(const Tensor& query, const CpuTiles& tiles,
                               std::optional<double> scale) {
  if (!reduced(query)) return {};
  // Only the sizes matter; there is no data.
  const auto of = [&](std::int64_t rows, std::int64_t columns) {
    return at::from_blob(nullptr, {rows, columns}, query.options().device(at::kCPU));
  };
  const auto add = [](const std::vector<Tensor>& operands) {
    Tensor sum = operands[2];
    at::addmm_out(sum, sum, operands[0], operands[1]);
  };
  const std::int64_t d_head = query.size(3);
  const auto scratch = [&](const Tensor& first) {
    std::int64_t bytes = 0;
    const std::vector<Tensor> operands = {first, of(first.size(1), d_head),
                                          of(first.size(0), d_head)};
    for (const AskedBlock& block : matmul_scratch("addmm_", operands, add)) {
      bytes = std::max(bytes, block.bytes);
    }
    return bytes;
  };
  const Tensor scores = of(tiles.queries, tiles.keys);
  // The gradients of queries and keys are scaled, and oneDNN gets the factor as a tensor of one
  // number (do_prepare in ideep's operators/matmul.hpp); that of the values is not.
  const bool scaled = scale ? *scale != 1 : d_head != 1;
  const auto of_scaled = [&](const Tensor& first) {
    ProductScratch found{0, scratch(first)};
    if (scaled && found.bytes > 0) found.factor = sizeof(float);
    return found;
  };
  const ProductScratch of_queries = of_scaled(scores), of_keys = of_scaled(scores.t());
  return of_queries.total() > of_keys.total() ? of_queries : of_keys;
}

std::tuple<Tensor, Tensor, Tensor> flash_for_cpu_backward(const Tensor& grad_out,
                                                          const Tensor& query, const Tensor& key,
                                                          const Tensor& value, const Tensor&,
                                                          const Tensor&, double, bool,
                                                          const std::optional<Tensor>&,
                                                          std::optional<double> scale) {
  const auto zeros = [](const Tensor& of) {
    return at::zeros(of.transpose(1, 2).sizes(), of.options());
  };
  Tensor grad_query = zeros(query), grad_key = zeros(key), grad_value = zeros(value);
  const Tensor dense_grad_out = grad_out.transpose(1, 2).contiguous();
  const CpuTiles tiles(query.size(2), key.size(2));
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t of_a_thread = 2 * tiles.queries * tiles.keys;
  const auto wide = query.options().dtype(at::toOpMathType(query.scalar_type()));
  const Tensor buffer = at::empty({threads, of_a_thread}, wide);
  const Tensor reduced_buffer =
      at::empty({threads, reduced(query) ? of_a_thread : 0}, query.options());
  // The work is divided by heads of the keys, with all queries of a head on one thread. Each thread
  // with work makes one sum a query.
  const std::int64_t working = working_threads(key.size(0) * key.size(1));
  std::vector<Tensor> of_threads;
  for (std::int64_t i = 0; i < working; ++i) of_threads.push_back(at::empty({tiles.queries}, wide));
  const ProductScratch scratch = product_scratch(query, tiles, scale);
  const auto bytes = query.options().dtype(at::kByte);
  for (std::int64_t i = 0; i < working && scratch.bytes > 0; ++i) {
    if (scratch.factor > 0) of_threads.push_back(at::empty({scratch.factor}, bytes));
    of_threads.push_back(at::empty({scratch.bytes}, bytes));
  }
  // Threads need not overlap: one may end before the next begins.
  const std::int64_t of_one =
      tiles.queries * static_cast<std::int64_t>(wide.dtype().itemsize()) + scratch.total();
  DryRecording::current()->may_be_apart((working - 1) * of_one);
  of_threads.clear();
  return {grad_query.transpose(1, 2), grad_key.transpose(1, 2), grad_value.transpose(1, 2)};
}

}  // namespace

void register_meta_attention(torch::Library& library) {
  library.impl("_scaled_dot_product_flash_attention_for_cpu", flash_for_cpu);
  library.impl("_scaled_dot_product_flash_attention_for_cpu_backward", flash_for_cpu_backward);
}

}  // namespace ts::kernels
