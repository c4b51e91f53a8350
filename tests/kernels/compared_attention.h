#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/repeat_interleave.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <tuple>
#include <vector>

#include "tests/kernels/largest_error.h"

// Inputs of attention, and PyTorch's attention that ours is compared with.
namespace ts::kernels {

struct HeadSizes {
  std::int64_t batch = 1;
  std::int64_t heads = 2;
  std::int64_t kv_heads = 2;
  std::int64_t queries = 100;
  std::int64_t keys = 100;
  std::int64_t d_head = 64;
};

inline std::ostream& operator<<(std::ostream& out, const HeadSizes& sizes) {
  return out << sizes.batch << " x " << sizes.heads << "/" << sizes.kv_heads << " heads, "
             << sizes.queries << " x " << sizes.keys << ", d_head " << sizes.d_head;
}

struct AttentionInputs {
  at::Tensor q, k, v, d_o;
};

inline AttentionInputs inputs_of(const HeadSizes& sizes, at::ScalarType type, double size = 1,
                                 std::uint64_t seed = 7) {
  at::manual_seed(seed);
  const auto make = [&](std::int64_t heads, std::int64_t length, double factor) {
    return (at::randn({sizes.batch, heads, length, sizes.d_head}) * factor).to(type);
  };
  return {make(sizes.heads, sizes.queries, size), make(sizes.kv_heads, sizes.keys, size),
          make(sizes.kv_heads, sizes.keys, size), make(sizes.heads, sizes.queries, 1)};
}

using Attention =
    std::function<at::Tensor(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)>;

// Output and the gradients of q, k and v, of tensors in the given type.
inline std::vector<at::Tensor> results(const AttentionInputs& inputs, at::ScalarType type,
                                       const Attention& attention) {
  const auto leaf = [type](const at::Tensor& x) {
    return x.detach().to(type).clone().requires_grad_(true);
  };
  const at::Tensor q = leaf(inputs.q), k = leaf(inputs.k), v = leaf(inputs.v);
  const at::Tensor o = attention(q, k, v);
  std::vector<at::Tensor> all = torch::autograd::grad({o}, {q, k, v}, {inputs.d_o.to(type)});
  all.insert(all.begin(), o.detach());
  return all;
}

inline Attention flash_attention(bool causal) {
  return [causal](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal));
  };
}

// The formula, with the heads of keys repeated.
inline Attention formula(bool causal) {
  return [causal](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const std::int64_t group = q.size(1) / k.size(1);
    return std::get<0>(at::_scaled_dot_product_attention_math(q, at::repeat_interleave(k, group, 1),
                                                              at::repeat_interleave(v, group, 1),
                                                              {}, 0.0, causal));
  };
}

inline constexpr const char* kNames[] = {"o", "d_q", "d_k", "d_v"};

inline void expect_at_most_twice_the_error(const std::vector<at::Tensor>& ours,
                                           const std::vector<at::Tensor>& theirs,
                                           const std::vector<at::Tensor>& exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double largest = exact[i].abs().max().item<double>();
    EXPECT_LE(largest_error(ours[i], exact[i]),
              2 * largest_error(theirs[i], exact[i]) + 1e-7 * largest)
        << kNames[i];
  }
}

inline void expect_close_in_fp32(const std::vector<at::Tensor>& ours,
                                 const std::vector<at::Tensor>& exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_EQ(ours[i].sizes(), exact[i].sizes());
    const double largest = exact[i].abs().max().item<double>();
    EXPECT_LE(largest_error(ours[i], exact[i]), 5e-6 * (1 + largest)) << kNames[i];
  }
}

}  // namespace ts::kernels
