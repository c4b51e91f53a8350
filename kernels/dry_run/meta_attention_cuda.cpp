// Fused attention on cuda: what its operators take, scratch included, since they take it from the
// caching allocator. From PyTorch 2.11: ATen/native/transformers/cuda/attention.cu,
// attention_backward.cu, flash_attn/flash_api.cpp, ATen/native/cudnn/MHA.cpp. q, k, v: [B, H, T,
// d].
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using Gradients = std::tuple<Tensor, Tensor, Tensor>;
using WithRandomState =
    std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt, Tensor, Tensor, Tensor>;

std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

// Flags of cuDNN's persistent kernels; measured with cuDNN 9.19 on an H200.
constexpr std::int64_t kCudnnFlags = 256;

at::TensorOptions fp32(const Tensor& like) {
  return like.options().dtype(at::kFloat);
}

// Into so many parts flash divides the keys where there are few blocks of queries: the fewest that
// keep 85 % as many multiprocessors busy as the best number does.
// (flash_attn/flash_api.cpp, num_splits_heuristic and set_params_splitkv.)
std::int64_t parts_of_flash(const Tensor& query, std::int64_t keys) {
  const DryRecording* const dry = DryRecording::current();
  if (dry == nullptr) return 1;
  constexpr std::int64_t kRows = 64, kMostParts = 128;
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t d_head = query.size(3);
  const std::int64_t key_blocks = divided(keys, d_head <= 64 ? 256 : d_head <= 128 ? 128 : 64);
  const std::int64_t blocks = query.size(0) * query.size(1) * divided(query.size(2), kRows);
  const std::int64_t places = std::int64_t{2} * dry->options().multiprocessors;
  if (static_cast<float>(blocks) >= 0.8F * static_cast<float>(places)) return 1;
  const std::int64_t most = std::min({kMostParts, places, key_blocks});
  const auto eligible = [&](std::int64_t parts) {
    return parts == 1 || divided(key_blocks, parts) != divided(key_blocks, parts - 1);
  };
  const auto busy = [&](std::int64_t parts) {
    const float waves = static_cast<float>(blocks * parts) / static_cast<float>(places);
    return waves / std::ceil(waves);
  };
  float best = 0;
  for (std::int64_t parts = 1; parts <= most; ++parts) {
    if (eligible(parts)) best = std::max(best, busy(parts));
  }
  for (std::int64_t parts = 1; parts <= most; ++parts) {
    if (eligible(parts) && busy(parts) >= 0.85F * best) return parts;
  }
  return 1;
}

WithRandomState flash(const Tensor& query, const Tensor& key, const Tensor&, double dropout, bool,
                      bool, std::optional<double>) {
  RECORD_FUNCTION("aten::_flash_attention_forward", c10::ArrayRef<const c10::IValue>{});
  Tensor output = at::empty_like(query.transpose(1, 2)).transpose(1, 2);
  Tensor logsumexp = at::empty({query.size(0), query.size(1), query.size(2)}, fp32(query));
  const std::int64_t parts = dropout > 0 ? 1 : parts_of_flash(query, key.size(2));
  Tensor output_of_parts, sums_of_parts;
  if (parts > 1) {
    sums_of_parts = at::empty({parts, query.size(0), query.size(1), query.size(2)}, fp32(query));
    const std::int64_t width = round_up(query.size(3), 32);
    output_of_parts =
        at::empty({parts, query.size(0), query.size(1), query.size(2), width}, fp32(query));
  }
  Tensor random_state = at::empty({2}, query.options().dtype(at::kUInt64));
  Tensor unused = at::empty({}, query.options().dtype(at::kUInt64));
  return {output, logsumexp, {}, {}, query.size(2), key.size(2), random_state, unused, {}};
}

Gradients flash_backward(const Tensor& grad_out, const Tensor& query, const Tensor& key,
                         const Tensor& value, const Tensor& out, const Tensor&, const Tensor&,
                         const Tensor&, c10::SymInt, c10::SymInt, double, bool, const Tensor&,
                         const Tensor&, std::optional<double>) {
  RECORD_FUNCTION("aten::_flash_attention_backward", c10::ArrayRef<const c10::IValue>{});
  const Tensor dense_grad_out = grad_out.transpose(1, 2).contiguous();
  const Tensor dense_out = out.transpose(1, 2).contiguous();
  const auto like = [](const Tensor& of) { return at::empty_like(of.transpose(1, 2)); };
  const Tensor grad_query = like(query), grad_key = like(key), grad_value = like(value);
  const std::int64_t queries = round_up(query.size(2), 128);
  const std::int64_t d_head = query.size(3);
  const std::int64_t width = d_head <= 192 ? round_up(d_head, 32) : 256;
  const Tensor row_sums = at::empty({query.size(0), query.size(1), queries}, fp32(query));
  const Tensor accumulator = at::empty({query.size(0), queries, query.size(1), width}, fp32(query));
  Tensor key_of_each, value_of_each;
  if (key.size(1) != query.size(1)) {
    // Grouped queries: gradients of the keys and values for every query head, then their sums.
    const auto of_each = [&](const Tensor& of) {
      return at::empty({of.size(0), of.size(2), query.size(1), d_head}, of.options());
    };
    key_of_each = of_each(key);
    value_of_each = of_each(value);
  }
  return {grad_query.transpose(1, 2), grad_key.transpose(1, 2), grad_value.transpose(1, 2)};
}

// The seed and offset of dropout are on the host.
std::tuple<Tensor, Tensor, Tensor, Tensor> efficient(const Tensor& query, const Tensor&,
                                                     const Tensor& value,
                                                     const std::optional<Tensor>&,
                                                     bool compute_logsumexp, double, bool,
                                                     std::optional<double>) {
  RECORD_FUNCTION("aten::_efficient_attention_forward", c10::ArrayRef<const c10::IValue>{});
  const std::int64_t batch = query.size(0), heads = query.size(1), length = query.size(2);
  const std::int64_t width = value.size(3);
  Tensor output = at::empty({batch, length, heads, width}, query.options());
  Tensor logsumexp =
      at::empty({batch, heads, compute_logsumexp ? round_up(length, 32) : 0}, fp32(query));
  // Heads wider than a tile of keys do not stay in registers.
  Tensor accumulator;
  if (query.scalar_type() != at::kFloat && width > 128) {
    accumulator = at::empty({batch, length, heads, width}, fp32(query));
  }
  return {output.transpose(1, 2), logsumexp, at::empty({}, at::kLong), at::empty({}, at::kLong)};
}

// In which the gradient of a head's queries is summed in fp32: tiles with a lock of 16 bytes each;
// of wider heads those of keys and values, too. (mem_eff_attention/kernel_backward.h; which kernel
// runs, seen on an H200.)
std::int64_t bytes_of_a_head(const Tensor& query, std::int64_t keys) {
  const std::int64_t width = query.size(3);
  const bool narrow = query.scalar_type() != at::kFloat;
  const std::int64_t rows = narrow && width > 64 && width <= 128 ? 128 : 64;
  const std::int64_t columns = width <= 64 ? 64 : 128;
  constexpr std::int64_t kNumber = 4, kLock = 16;
  const std::int64_t tiles =
      round_up(query.size(2), rows) / rows * (round_up(width, columns) / columns);
  const std::int64_t others =
      width > 128 ? 2 * round_up(keys, rows) * round_up(width, columns) * kNumber : 0;
  return tiles * (rows * columns * kNumber + kLock) + others;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor&, const Tensor& out, const Tensor&, const Tensor&, const Tensor&, double,
    std::array<bool, 4>, bool, std::optional<double>) {
  if (!grad_out.defined()) return {};
  RECORD_FUNCTION("aten::_efficient_attention_backward", c10::ArrayRef<const c10::IValue>{});
  const Tensor dense_grad_out = grad_out.transpose(1, 2).contiguous();
  const auto like = [](const Tensor& of) {
    return at::empty(of.transpose(1, 2).sizes(), of.options()).transpose(1, 2);
  };
  const Tensor grad_query = like(query), grad_key = like(key), grad_value = like(value);
  const std::int64_t batch = query.size(0), heads = query.size(1), length = query.size(2);
  Tensor workspace, delta;
  if (query.scalar_type() == at::kFloat) {
    // Outside the kernel: (grad_out * out).sum(-1).
    const Tensor product = at::empty_like(out.transpose(1, 2));
    const Tensor sum = at::empty({batch, length, heads}, fp32(query));
    delta = at::empty({batch, heads, length}, fp32(query));
  } else {
    delta = at::empty({batch, heads, length}, fp32(query));
  }
  const std::int64_t bytes = batch * heads * bytes_of_a_head(query, key.size(2));
  workspace = at::empty({bytes}, query.options().dtype(at::kByte));
  return {grad_query, grad_key, grad_value, Tensor()};
}

WithRandomState cudnn(const Tensor& query, const Tensor& key, const Tensor&,
                      const std::optional<Tensor>&, bool compute_logsumexp, double, bool, bool,
                      std::optional<double>) {
  RECORD_FUNCTION("aten::_cudnn_attention_forward", c10::ArrayRef<const c10::IValue>{});
  Tensor seed = at::empty({}, query.options().dtype(at::kLong));
  Tensor offset = at::empty({}, query.options().dtype(at::kLong));
  Tensor output = at::empty_like(query);
  Tensor logsumexp;
  if (compute_logsumexp) {
    logsumexp = at::empty({query.size(0), query.size(1), query.size(2), 1}, fp32(query));
  }
  const Tensor workspace = at::empty({kCudnnFlags}, query.options().dtype(at::kByte));
  return {output, logsumexp, {}, {}, query.size(2), key.size(2), seed, offset, {}};
}

// The gradient of the queries is summed in fp32, beside a number a row.
Gradients cudnn_backward(const Tensor&, const Tensor& query, const Tensor& key, const Tensor& value,
                         const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                         const Tensor&, const Tensor&, c10::SymInt, c10::SymInt, double, bool,
                         std::optional<double>) {
  RECORD_FUNCTION("aten::_cudnn_attention_backward", c10::ArrayRef<const c10::IValue>{});
  Tensor grad_query = at::empty_like(query), grad_key = at::empty_like(key),
         grad_value = at::empty_like(value);
  const std::int64_t rows = query.size(0) * query.size(1) * query.size(2);
  const std::int64_t bytes = rows * 4 * (query.size(3) + 1) + kCudnnFlags;
  const Tensor workspace = at::empty({bytes}, query.options().dtype(at::kByte));
  return {std::move(grad_query), std::move(grad_key), std::move(grad_value)};
}

}  // namespace

void register_meta_attention_cuda(torch::Library& library) {
  library.impl("_scaled_dot_product_flash_attention", flash);
  library.impl("_scaled_dot_product_flash_attention_backward", flash_backward);
  library.impl("_scaled_dot_product_efficient_attention", efficient);
  library.impl("_scaled_dot_product_efficient_attention_backward", efficient_backward);
  library.impl("_scaled_dot_product_cudnn_attention", cudnn);
  library.impl("_scaled_dot_product_cudnn_attention_backward", cudnn_backward);
}

}  // namespace ts::kernels
