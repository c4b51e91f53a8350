#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "kernels/optim/optimizer.h"
#include "kernels/optim/schedule.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::OptimizerKind;
using spec::Pass;
using spec::WorkloadKind;

spec::WorkloadSpec training_spec() {
  return small_spec(WorkloadKind::lm, Pass::full_step);
}

std::unique_ptr<TorchExecution> prepared(const spec::WorkloadSpec& spec) {
  EXPECT_TRUE(spec::validate(spec).empty());
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  return std::move(*execution);
}

std::vector<at::Tensor> doubles(const TorchExecution& execution, bool gradients) {
  std::vector<at::Tensor> out;
  for (const Parameter& parameter : execution.parameters()) {
    const at::Tensor& tensor = gradients ? parameter.tensor.grad() : parameter.tensor;
    out.push_back(tensor.detach().to(at::kDouble, /*non_blocking=*/false, /*copy=*/true));
  }
  return out;
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

struct EveryOptimizer : testing::TestWithParam<OptimizerKind> {};

// The assignment's: eps beside the root of v itself, and the decay last.
at::Tensor out_of_place(const at::Tensor& p, const at::Tensor& m, const at::Tensor& v, int t) {
  const double rate = 0.01 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
  return (p - rate * m / (v.sqrt() + 1e-8)) * (1 - 0.01 * 0.1);
}

// Five steps, each from the parameters and gradients the engine had, by the formula in fp64.
TEST_P(EveryOptimizer, FollowsItsFormula) {
  spec::WorkloadSpec spec = training_spec();
  spec.optimizer = GetParam();
  spec.learning_rate = 0.01;
  spec.momentum = 0.9;
  const auto execution = prepared(spec);
  std::vector<at::Tensor> before = doubles(*execution, false), first, second;
  for (int t = 1; t <= 5; ++t) {
    ASSERT_TRUE(execution->step(nullptr, t));
    const std::vector<at::Tensor> gradients = doubles(*execution, true);
    const std::vector<at::Tensor> after = doubles(*execution, false);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const at::Tensor& g = gradients[i];
      at::Tensor expected;
      if (GetParam() == OptimizerKind::sgd) {
        const at::Tensor decayed = g + 0.1 * before[i];
        if (t == 1) first.push_back(decayed);
        if (t > 1) first[i] = 0.9 * first[i] + decayed;
        expected = before[i] - 0.01 * first[i];
      } else {
        if (t == 1) first.push_back(at::zeros_like(g)), second.push_back(at::zeros_like(g));
        first[i] = 0.9 * first[i] + 0.1 * g;
        second[i] = 0.999 * second[i] + 0.001 * g * g;
        const at::Tensor m = first[i] / (1 - std::pow(0.9, t));
        const at::Tensor v = second[i] / (1 - std::pow(0.999, t));
        expected = before[i] * (1 - 0.01 * 0.1) - 0.01 * m / (v.sqrt() + 1e-8);
        if (GetParam() == OptimizerKind::adamw_out_of_place)
          expected = out_of_place(before[i], first[i], second[i], t);
      }
      EXPECT_LT(relative(after[i], expected), 1e-6) << execution->parameters()[i].name << t;
    }
    before = after;
  }
}

TEST_P(EveryOptimizer, LearnsItsBatch) {
  spec::WorkloadSpec spec = training_spec();
  spec.optimizer = GetParam();
  spec.learning_rate = GetParam() == OptimizerKind::sgd ? 0.5 : 3e-3;
  const auto execution = prepared(spec);
  const double first = execution->step(nullptr, 0)->loss;
  double last = first;
  for (int i = 1; i < 30; ++i) last = execution->step(nullptr, i)->loss;
  EXPECT_LT(last, 0.9 * first);
}

INSTANTIATE_TEST_SUITE_P(All, EveryOptimizer,
                         testing::Values(OptimizerKind::adamw_fused, OptimizerKind::adamw_foreach,
                                         OptimizerKind::adamw_loop,
                                         OptimizerKind::adamw_out_of_place, OptimizerKind::sgd));

struct EveryState : testing::TestWithParam<std::tuple<OptimizerKind, spec::OptimizerState>> {};

// The formula in fp64 from the numbers in fp32 that the update starts from: those of the parameter,
// or the master weights, which no step rounds.
TEST_P(EveryState, OfHalfParametersFollowsTheFormulaInFp32) {
  const auto [kind, state] = GetParam();
  OptimizerSettings settings;
  settings.momentum = 0.9;
  settings.state = state;
  at::manual_seed(3);
  at::Tensor parameter = at::randn({70, 30}, at::kBFloat16);
  const auto optimizer = make_optimizer(kind, {{parameter, {}}}, settings);
  at::Tensor exact = parameter.to(at::kDouble), first, second;
  for (int t = 1; t <= 5; ++t) {
    const at::Tensor gradient = at::randn({70, 30}, at::kBFloat16);
    parameter.mutable_grad() = gradient;
    const at::Tensor g = gradient.to(at::kDouble);
    if (state == spec::OptimizerState::fp32) exact = parameter.to(at::kDouble);
    optimizer->step(0.01, {});
    if (kind == OptimizerKind::sgd) {
      const at::Tensor decayed = g + 0.1 * exact;
      first = t == 1 ? decayed : 0.9 * first + decayed;
      exact = exact - 0.01 * first;
    } else {
      if (t == 1) first = at::zeros_like(g), second = at::zeros_like(g);
      first = 0.9 * first + 0.1 * g;
      second = 0.999 * second + 0.001 * g * g;
      const at::Tensor m = first / (1 - std::pow(0.9, t));
      const at::Tensor v = second / (1 - std::pow(0.999, t));
      exact = kind == OptimizerKind::adamw_out_of_place
                  ? out_of_place(exact, first, second, t)
                  : exact * (1 - 0.01 * 0.1) - 0.01 * m / (v.sqrt() + 1e-8);
    }
    // Rounded once: at most half of the last of 8 bits.
    EXPECT_LE(((parameter.to(at::kDouble) - exact) / exact).abs().max().item<double>(),
              1.0 / 256 + 1e-5)
        << t;
    if (state != spec::OptimizerState::fp32_master) continue;
    const std::vector<at::Tensor> kept = optimizer->state();
    const auto master = std::find_if(kept.begin(), kept.end(), [&](const at::Tensor& tensor) {
      return tensor.sizes() == parameter.sizes() && relative(tensor.to(at::kDouble), exact) < 1e-5;
    });
    EXPECT_NE(master, kept.end()) << t;
  }
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : optimizer->state()) {
    EXPECT_EQ(tensor.scalar_type(), at::kFloat);
    if (tensor.dim() > 0) bytes += static_cast<std::int64_t>(tensor.nbytes());
  }
  const int moments = kind == OptimizerKind::sgd ? 1 : 2;
  const int copies = state == spec::OptimizerState::fp32_master ? moments + 1 : moments;
  EXPECT_EQ(bytes, 4 * parameter.numel() * copies);
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryState,
    testing::Combine(testing::Values(OptimizerKind::adamw_fused, OptimizerKind::adamw_foreach,
                                     OptimizerKind::adamw_loop, OptimizerKind::adamw_out_of_place,
                                     OptimizerKind::sgd),
                     testing::Values(spec::OptimizerState::fp32,
                                     spec::OptimizerState::fp32_master)));

// A step smaller than the last bit of the parameter is lost without master weights.
TEST(OptimizerState, MasterWeightsKeepWhatRoundingLoses) {
  const auto moved = [](spec::OptimizerState state) {
    OptimizerSettings settings;
    settings.weight_decay = 0;
    settings.state = state;
    at::Tensor parameter = at::ones({16}, at::kBFloat16);
    const auto optimizer = make_optimizer(OptimizerKind::adamw_fused, {{parameter, {}}}, settings);
    for (int t = 0; t < 100; ++t) {
      parameter.mutable_grad() = at::ones({16}, at::kBFloat16);
      optimizer->step(1e-3, {});
    }
    return 1 - parameter[0].item<double>();
  };
  EXPECT_EQ(moved(spec::OptimizerState::parameter), 0);
  EXPECT_EQ(moved(spec::OptimizerState::fp32), 0);
  EXPECT_NEAR(moved(spec::OptimizerState::fp32_master), 0.1, 1.0 / 256);
}

// Copies in fp32 are made of at most 2^23 numbers at once.
TEST(OptimizerState, OfALargeParameterIsUpdatedInPieces) {
  OptimizerSettings settings;
  settings.weight_decay = 0;
  settings.state = spec::OptimizerState::fp32;
  at::Tensor parameter = at::ones({(1 << 23) + 5}, at::kHalf);
  parameter.mutable_grad() = at::ones_like(parameter);
  make_optimizer(OptimizerKind::adamw_fused, {{parameter, {}}}, settings)->step(0.25, {});
  EXPECT_EQ(parameter.min().item<double>(), 0.75);
  EXPECT_EQ(parameter.max().item<double>(), 0.75);
}

TEST(Schedule, CosineWithWarmUp) {
  spec::WorkloadSpec spec = training_spec();
  EXPECT_EQ(learning_rate_at(spec, 12345), 3e-4);
  spec.schedule = spec::Schedule::cosine;  // 3e-4 to 3e-5, warm-up 200, cycle 10,000
  EXPECT_EQ(learning_rate_at(spec, 0), 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(spec, 100), 1.5e-4);
  EXPECT_DOUBLE_EQ(learning_rate_at(spec, 200), 3e-4);
  EXPECT_NEAR(learning_rate_at(spec, 5100), (3e-4 + 3e-5) / 2, 1e-12);
  EXPECT_NEAR(learning_rate_at(spec, 2650), 3e-5 + 0.5 * (1 + std::numbers::sqrt2 / 2) * 2.7e-4,
              1e-12);
  EXPECT_DOUBLE_EQ(learning_rate_at(spec, 10000), 3e-5);
  EXPECT_DOUBLE_EQ(learning_rate_at(spec, 99999), 3e-5);
}

// The exercise's first step has learning rate 0.
TEST(Schedule, FirstStepOfAWarmUpChangesNothing) {
  spec::WorkloadSpec spec = training_spec();
  spec.schedule = spec::Schedule::cosine;
  const auto execution = prepared(spec);
  const auto before = doubles(*execution, false);
  EXPECT_EQ(execution->step(nullptr, 0)->learning_rate, 0);
  const auto after = doubles(*execution, false);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(before[i].equal(after[i]));
  EXPECT_DOUBLE_EQ(execution->step(nullptr, 1)->learning_rate, 3e-4 / 200);
  EXPECT_FALSE(doubles(*execution, false)[0].equal(before[0]));
}

double total_norm(const std::vector<at::Tensor>& gradients) {
  double squares = 0;
  for (const at::Tensor& gradient : gradients) squares += gradient.square().sum().item<double>();
  return std::sqrt(squares);
}

TEST(Clipping, ScalesAllGradientsToTheNorm) {
  spec::WorkloadSpec spec = training_spec();
  auto plain = prepared(spec);
  EXPECT_FALSE(plain->step(nullptr, 0)->gradient_norm);
  const auto gradients = doubles(*plain, true);
  const double norm = total_norm(gradients);
  plain.reset();
  for (const double limit : {0.1 * norm, 10 * norm}) {
    spec.clip = limit;
    const auto execution = prepared(spec);
    const auto times = execution->step(nullptr, 0);
    ASSERT_TRUE(times->gradient_norm);
    EXPECT_NEAR(*times->gradient_norm, norm, 1e-5 * norm);
    const auto clipped = doubles(*execution, true);
    EXPECT_NEAR(total_norm(clipped), std::min(norm, limit), 1e-4 * norm);
    EXPECT_LT(relative(clipped[0] * (norm / std::min(norm, limit)), gradients[0]), 1e-4);
  }
}

TEST(ZeroGrad, ToZeroKeepsTheTensors) {
  spec::WorkloadSpec spec = training_spec();
  std::vector<double> losses[2];
  for (const auto mode : {spec::ZeroGrad::none, spec::ZeroGrad::zero}) {
    spec.zero_grad = mode;
    const auto execution = prepared(spec);
    const void* address = nullptr;
    for (int i = 0; i < 3; ++i) {
      losses[static_cast<int>(mode)].push_back(execution->step(nullptr, i)->loss);
      const at::Tensor& gradient = execution->parameters()[0].tensor.grad();
      const bool kept = mode == spec::ZeroGrad::zero && i > 0;
      EXPECT_TRUE(!kept || gradient.const_data_ptr() == address);
      address = gradient.const_data_ptr();
    }
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Habits, WithoutZeroGradGradientsAddUp) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  auto plain = prepared(spec);
  ASSERT_TRUE(plain->step(nullptr, 0));
  const auto first = doubles(*plain, true);
  ASSERT_TRUE(plain->step(nullptr, 1));
  const auto second = doubles(*plain, true);
  plain.reset();
  spec.habit = spec::Habit::no_zero_grad;
  const auto execution = prepared(spec);
  ASSERT_TRUE(execution->step(nullptr, 0));
  ASSERT_TRUE(execution->step(nullptr, 1));
  const auto sum = doubles(*execution, true);
  for (std::size_t i = 0; i < sum.size(); ++i)
    EXPECT_LT(relative(sum[i], first[i] + second[i]), 1e-5) << execution->parameters()[i].name;
}

TEST(Habits, AKeptGraphGrowsByTheSameWithEveryStep) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.habit = spec::Habit::kept_graph;
  const auto execution = prepared(spec);
  std::int64_t allocated[4];
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(execution->step(nullptr, i));
    allocated[i] = execution->memory().allocated;
  }
  EXPECT_GT(allocated[2] - allocated[1], 0);
  EXPECT_EQ(allocated[3] - allocated[2], allocated[2] - allocated[1]);
}

TEST(Habits, ClippingAfterTheStepChangesNothing) {
  spec::WorkloadSpec spec = training_spec();
  spec.optimizer = OptimizerKind::sgd;
  const auto after_a_step = [&] {
    const auto execution = prepared(spec);
    EXPECT_TRUE(execution->step(nullptr, 0));
    return doubles(*execution, false);
  };
  const auto unclipped = after_a_step();
  spec.clip = 1e-3;
  const auto clipped = after_a_step();
  spec.habit = spec::Habit::clip_after_step;
  const auto late = after_a_step();
  for (std::size_t i = 0; i < late.size(); ++i)
    EXPECT_TRUE(late[i].equal(unclipped[i])) << "as if nothing had been clipped";
  EXPECT_FALSE(clipped[0].equal(unclipped[0]));
}

// The norm of the scaled gradients is far above the limit, so the update is divided by it and then
// by the scale.
TEST(Habits, ClippingScaledGradientsMakesThemTiny) {
  spec::WorkloadSpec spec = training_spec();
  spec.autocast = spec::Autocast::bf16;
  spec.grad_scaler = true;
  spec.clip = 1;
  const auto norms = [&] {
    const auto execution = prepared(spec);
    const auto times = execution->step(nullptr, 0);
    EXPECT_TRUE(times->gradient_norm);
    return std::pair(*times->gradient_norm, total_norm(doubles(*execution, true)));
  };
  const auto [norm, used] = norms();
  spec.habit = spec::Habit::clip_scaled;
  const auto [scaled_norm, left] = norms();
  EXPECT_NEAR(scaled_norm, 65536 * norm, 1e-2 * 65536 * norm);
  EXPECT_NEAR(left, 1.0 / 65536, 1e-7);
  EXPECT_GT(used, 1000 * left);
}

TEST(Habits, AModelThatIsBuiltAnewLearnsNothing) {
  spec::WorkloadSpec spec = training_spec();
  spec.habit = spec::Habit::rebuild;
  spec.learning_rate = 0.1;
  const auto execution = prepared(spec);
  const double first = execution->step(nullptr, 0)->loss;
  for (int i = 1; i < 4; ++i) EXPECT_EQ(execution->step(nullptr, i)->loss, first);
}

TEST(Habits, AKeptOutputLivesUntilTheNext) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, spec::Pass::forward);
  const auto plain = prepared(spec);
  ASSERT_TRUE(plain->step(nullptr, 0));
  const std::int64_t without = plain->memory().allocated;
  spec.habit = spec::Habit::kept_output;
  const auto execution = prepared(spec);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(execution->step(nullptr, i));
    // Logits in fp32; memory is counted for one execution at a time.
    EXPECT_GE(execution->memory().allocated, without + 4 * spec.batch * spec.seq_len * spec.vocab);
  }
}

// Four micro-batches of two are one batch of eight: the tokens are drawn alike.
TEST(Accumulation, EqualsTheWholeBatch) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.batch = 8;
  auto whole = prepared(spec);
  const double loss = whole->step(nullptr, 0)->loss;
  const auto gradients = doubles(*whole, true);
  whole.reset();
  spec.batch = 2;
  spec.accumulate = 4;
  const auto parts = prepared(spec);
  EXPECT_NEAR(parts->step(nullptr, 0)->loss, loss, 1e-6 * loss);
  const auto summed = doubles(*parts, true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_LT(relative(summed[i], gradients[i]), 1e-5) << parts->parameters()[i].name;
  }
}

TEST(Accumulation, HoldsTheActivationsOfOneMicroBatch) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  std::int64_t peaks[2];
  for (const bool parts : {false, true}) {
    spec.batch = parts ? 2 : 16;
    spec.accumulate = parts ? 8 : 1;
    const auto execution = prepared(spec);
    ASSERT_TRUE(execution->step(nullptr, 0));
    peaks[parts ? 1 : 0] = execution->memory().peak;
  }
  EXPECT_LT(peaks[1], peaks[0] / 4);
}

struct ScaledTraining : testing::TestWithParam<OptimizerKind> {
  spec::WorkloadSpec spec = [] {
    spec::WorkloadSpec scaled = training_spec();
    scaled.autocast = spec::Autocast::fp16;
    scaled.grad_scaler = true;
    scaled.optimizer = GetParam();
    return scaled;
  }();
};

TEST_P(ScaledTraining, SkipsAndHalvesWhenAGradientOverflows) {
  spec.init_scale = std::int64_t{1} << 40;
  const auto execution = prepared(spec);
  const auto before = doubles(*execution, false);
  const auto first = execution->step(nullptr, 0);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->skipped);
  EXPECT_EQ(*first->loss_scale, std::pow(2.0, 40));
  EXPECT_TRUE(std::isfinite(first->loss));
  const auto after = doubles(*execution, false);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(before[i].equal(after[i]));
  run::StepTimes last = *first;
  for (int i = 1; i < 60 && last.skipped; ++i) {
    const double scale = *last.loss_scale;
    last = *execution->step(nullptr, i);
    EXPECT_EQ(*last.loss_scale, scale / 2);
  }
  EXPECT_FALSE(last.skipped);
  EXPECT_FALSE(doubles(*execution, false)[0].equal(before[0]));
}

TEST_P(ScaledTraining, GrowsAfterCleanSteps) {
  spec.init_scale = 1024;
  spec.growth_interval = 2;
  const auto execution = prepared(spec);
  std::vector<double> scales;
  for (int i = 0; i < 5; ++i) scales.push_back(*execution->step(nullptr, i)->loss_scale);
  EXPECT_EQ(scales, (std::vector<double>{1024, 1024, 2048, 2048, 4096}));
}

// A power of two changes no digit: scaled or not, the same gradients come out, but where small ones
// vanish without.
TEST_P(ScaledTraining, IsUnscaledBeforeTheStep) {
  spec.init_scale = 1024;
  auto scaled = prepared(spec);
  ASSERT_TRUE(scaled->step(nullptr, 0));
  const auto with = doubles(*scaled, true);
  scaled.reset();
  spec.grad_scaler = false;
  const auto plain = prepared(spec);
  ASSERT_TRUE(plain->step(nullptr, 0));
  EXPECT_LT(relative(doubles(*plain, true)[0], with[0]), 0.05);
}

INSTANTIATE_TEST_SUITE_P(All, ScaledTraining,
                         testing::Values(OptimizerKind::adamw_fused, OptimizerKind::adamw_loop));

TEST(Determinism, EveryModeRepeatsItsLossesToTheLastBit) {
  const std::vector<std::vector<std::pair<const char*, const char*>>> modes = {
      {{"backend", "tiled"}},
      {{"backend", "own"}, {"kv_heads", "1"}},
      {{"backend", "flash"}, {"kv_heads", "1"}},
      {{"checkpoint", "blocks"}, {"checkpoint_every", "2"}},
      {{"accumulate", "3"}},
      {{"autocast", "bf16"}},
      {{"autocast", "fp16"}, {"grad_scaler", "on"}},
      {{"optimizer", "adamw_foreach"}, {"clip", "0.5"}},
      {{"optimizer", "sgd"}, {"schedule", "cosine"}},
      {{"norm", "layernorm"},
       {"positions", "learned"},
       {"ffn", "gelu"},
       {"bias", "on"},
       {"tied", "on"},
       {"fused_qkv", "on"}},
  };
  for (const auto& mode : modes) {
    spec::WorkloadSpec spec = training_spec();
    for (const auto& [name, value] : mode) ASSERT_TRUE(spec::set_field(spec, name, value));
    const auto losses = [&] {
      std::vector<double> out;
      const auto execution = prepared(spec);
      for (int i = 0; i < 3; ++i) out.push_back(execution->step(nullptr, i)->loss);
      return out;
    };
    EXPECT_EQ(losses(), losses()) << mode.front().first << "=" << mode.front().second;
  }
}

}  // namespace
}  // namespace ts::kernels
