#include <ATen/TensorOperators.h>
#include <ATen/ops/argmin.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/optim/optimizer.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

constexpr std::int64_t kBlock = 256;

// The paper's numbers by a way of their own: a code's leading zeros choose the decade, what follows
// the first one is a linear fraction. In fp64.
at::Tensor codes(bool with_sign) {
  std::vector<double> values = {0, 1};
  for (int zeros = 0; zeros < 7; ++zeros) {
    const int bits = (with_sign ? 6 : 7) - zeros;
    for (int fraction = 0; fraction < 1 << bits; ++fraction) {
      const double low = 0.1 + 0.9 * fraction / (1 << bits);
      const double high = 0.1 + 0.9 * (fraction + 1) / (1 << bits);
      const double value = std::pow(0.1, zeros) * (low + high) / 2;
      values.push_back(value);
      if (with_sign) values.push_back(-value);
    }
  }
  EXPECT_EQ(values.size(), 256U);
  return std::get<0>(at::sort(at::tensor(values, at::kDouble)));
}

// A moment after it was stored: each block of 256 numbers, divided by its largest, by the nearest
// code.
at::Tensor stored(const at::Tensor& moment, const at::Tensor& table) {
  at::Tensor out = at::zeros_like(moment);
  const at::Tensor from = moment.view(-1);
  at::Tensor to = out.view(-1);
  for (std::int64_t begin = 0; begin < from.numel(); begin += kBlock) {
    const std::int64_t count = std::min(kBlock, from.numel() - begin);
    const at::Tensor block = from.narrow(0, begin, count);
    const at::Tensor most = block.abs().max();
    if (most.item<double>() == 0) continue;
    const at::Tensor apart = (block / most).unsqueeze(1) - table.unsqueeze(0);
    to.narrow(0, begin, count).copy_(table.index({at::argmin(apart.abs(), 1)}) * most);
  }
  return out;
}

// Five steps of the formula in fp64, whose moments are stored by the paper's codes.
TEST(AdamW8Bit, FollowsThePaper) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    for (const std::int64_t rows : {16, 71}) {  // 4,096 numbers; a last block that is not full
      at::manual_seed(3);
      at::Tensor parameter = at::randn({rows, 257 - rows % 2}, type);
      const auto optimizer =
          make_optimizer(spec::OptimizerKind::adamw_8bit, {{parameter, {}}}, OptimizerSettings());
      at::Tensor first = at::zeros_like(parameter, at::kDouble), second = first.clone();
      for (int t = 1; t <= 5; ++t) {
        const at::Tensor gradient = at::randn(parameter.sizes(), type);
        const at::Tensor g = gradient.to(at::kDouble), before = parameter.to(at::kDouble);
        parameter.mutable_grad() = gradient;
        first = 0.9 * first + 0.1 * g;
        second = 0.999 * second + 0.001 * g * g;
        const double root = std::sqrt(1 - std::pow(0.999, t));
        const at::Tensor change =
            0.01 * root / (1 - std::pow(0.9, t)) * first / (second.sqrt() + root * 1e-8);
        const at::Tensor expected = before * (1 - 0.01 * 0.1) - change;
        first = stored(first, codes(true));
        second = stored(second, codes(false));
        optimizer->step(0.01, {});
        // Where fp32 rounds to the other of two codes, the moment differs by their distance.
        const at::Tensor apart = (parameter.to(at::kDouble) - expected).abs();
        const double most = type == at::kFloat ? 1e-5 : 2e-2;
        EXPECT_LT((apart > most).to(at::kDouble).mean().item<double>(), 2e-3) << t;
        EXPECT_LT(apart.mean().item<double>(), most) << t;
      }
    }
  }
}

// The first step starts from moments of 0, so it is AdamW's own.
TEST(AdamW8Bit, BeginsAsAdamWDoes) {
  at::manual_seed(4);
  at::Tensor ours = at::randn({100, 100}), plain = ours.clone();
  ours.mutable_grad() = at::randn({100, 100});
  plain.mutable_grad() = ours.grad();
  OptimizerSettings settings;
  settings.weight_decay = 0;
  make_optimizer(spec::OptimizerKind::adamw_8bit, {{ours, {}}}, settings)->step(0.01, {});
  make_optimizer(spec::OptimizerKind::adamw_loop, {{plain, {}}}, settings)->step(0.01, {});
  EXPECT_LT((ours - plain).abs().max().item<double>(), 1e-6);
}

TEST(AdamW8Bit, StoresAByteANumberAndAScaleABlock) {
  at::Tensor large = at::ones({4097}), small = at::ones({4095}), still = at::ones({5000});
  large.mutable_grad() = at::ones({4097});
  small.mutable_grad() = at::ones({4095});
  const auto optimizer =
      make_optimizer(spec::OptimizerKind::adamw_8bit, {{large, {}}, {small, {}}, {still, {}}},
                     OptimizerSettings());
  EXPECT_TRUE(optimizer->state().empty());
  optimizer->step(0.01, {});
  std::size_t bytes = 0;
  for (const at::Tensor& tensor : optimizer->state()) bytes += tensor.nbytes();
  EXPECT_EQ(bytes, 2U * (4097 + 4 * 17) + 2U * 4 * 4095);
}

TEST(AdamW8Bit, LearnsItsBatchAsAdamWDoes) {
  const auto last_loss = [](spec::OptimizerKind kind) {
    spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::full_step);
    spec.optimizer = kind;
    spec.learning_rate = 3e-3;
    auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
    EXPECT_TRUE(execution) << execution.error().sentence;
    double last = 0;
    for (int i = 0; i < 30; ++i) last = (*execution)->step(nullptr, i)->loss;
    return last;
  };
  const double plain = last_loss(spec::OptimizerKind::adamw_loop);
  EXPECT_NEAR(last_loss(spec::OptimizerKind::adamw_8bit), plain, 0.05 * plain);
}

}  // namespace
}  // namespace ts::kernels
