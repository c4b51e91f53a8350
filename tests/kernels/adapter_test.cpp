// LoRA: what is trained, what stays, what is kept and what is held, in real runs and by formula.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/spec/workload_math.h"
#include "kernels/layers/linear.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using memory::Category;
using spec::LoraOn, spec::Pass, spec::WorkloadKind;

spec::WorkloadSpec adapted(Pass pass = Pass::full_step, LoraOn on = LoraOn::qv,
                           WorkloadKind workload = WorkloadKind::lm) {
  spec::WorkloadSpec spec = small_spec(workload, pass);
  spec.lora_rank = 6;
  spec.lora_on = on;
  spec.learning_rate = 0.02;
  EXPECT_TRUE(spec::validate(spec).empty());
  return spec;
}

std::unique_ptr<TorchExecution> made(const spec::WorkloadSpec& spec) {
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  return std::move(*execution);
}

bool is_adapter(const Parameter& parameter) {
  return parameter.name.find(".lora_") != std::string::npos;
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm()).item<double>();
}

// y = W x + scale B A x, and its gradients, in fp64 from the numbers of the layer.
TEST(Adapter, AddsItsProductAndHasItsGradients) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    Builder builder(at::kCPU, type, 3);
    builder.freeze();
    const spec::Lora lora{.rank = 5, .on = LoraOn::all, .scale = 1.6, .merged = false};
    const Linear layer(builder, "layer", 40, 24, Bias::zeros, spec::ProductForm::matmul, lora);
    const std::vector<Parameter>& all = builder.parameters();
    ASSERT_EQ(all.size(), 4U);
    const at::Tensor &weight = all[0].tensor, &a = all[2].tensor, &b = all[3].tensor;
    EXPECT_EQ(all[2].name, "layer.lora_A.weight");
    EXPECT_EQ(all[3].name, "layer.lora_B.weight");
    EXPECT_EQ(a.scalar_type(), at::kFloat) << "whatever the layer has";
    EXPECT_FALSE(weight.requires_grad() || all[1].tensor.requires_grad());
    EXPECT_LE(a.abs().max().item<double>(), 1 / std::sqrt(40.0));
    EXPECT_GT(a.abs().max().item<double>(), 0.8 / std::sqrt(40.0));
    EXPECT_EQ(b.abs().max().item<double>(), 0);

    at::manual_seed(5);
    const at::Tensor x = at::randn({7, 40}, at::TensorOptions().dtype(type)).requires_grad_();
    EXPECT_TRUE(at::equal(layer.forward(x), at::linear(x, weight))) << "B is zero";
    {
      const at::NoGradGuard no_grad;
      b.copy_(at::randn({24, 5}));
    }
    const at::Tensor y = layer.forward(x);
    EXPECT_EQ(y.scalar_type(), type);
    const at::Tensor d_y = at::randn({7, 24}, at::TensorOptions().dtype(type));
    y.backward(d_y);

    const auto wide = [](const at::Tensor& one) { return one.detach().to(at::kDouble); };
    const at::Tensor low = wide(x).mm(wide(a).t());
    const double tolerance = type == at::kFloat ? 1e-6 : 1e-2;
    EXPECT_LT(relative(y, wide(x).mm(wide(weight).t()) + 1.6 * low.mm(wide(b).t())), tolerance);
    EXPECT_LT(relative(b.grad(), 1.6 * wide(d_y).t().mm(low)), tolerance);
    const at::Tensor d_low = 1.6 * wide(d_y).mm(wide(b));
    EXPECT_LT(relative(a.grad(), d_low.t().mm(wide(x))), tolerance);
    EXPECT_LT(relative(x.grad(), wide(d_y).mm(wide(weight)) + d_low.mm(wide(a))), tolerance);
    EXPECT_FALSE(weight.grad().defined());
  }
}

TEST(Adapter, MergedIsTheSameLayer) {
  Builder builder(at::kCPU, at::kFloat, 3);
  const spec::Lora lora{.rank = 5, .on = LoraOn::all, .scale = 1.6, .merged = false};
  const Linear layer(builder, "layer", 40, 24, Bias::none, spec::ProductForm::matmul, lora);
  const Adapter other(builder, "layer", 40, 24, lora);
  const at::NoGradGuard no_grad;
  at::manual_seed(5);
  const at::Tensor x = at::randn({7, 40});
  const at::Tensor &a = builder.parameters()[1].tensor, &b = builder.parameters()[2].tensor;
  b.copy_(at::randn({24, 5}));
  other.a().copy_(a);
  other.b().copy_(b);
  const at::Tensor apart = layer.forward(x);
  const at::Tensor weight = layer.weight().clone();
  other.merge_into(weight);
  EXPECT_GT(relative(at::linear(x, layer.weight()), apart), 0.1);
  EXPECT_LT(relative(at::linear(x, weight), apart), 1e-6);
}

TEST(Adapter, MergedIsThePlainModelAndItsParameters) {
  spec::WorkloadSpec spec = adapted(Pass::generate);
  spec.lora_merged = true;
  spec.new_tokens = 6;
  ASSERT_TRUE(spec::validate(spec).empty());
  spec::WorkloadSpec plain = spec;
  plain.lora_rank = 0;
  const auto merged = made(spec), without = made(plain);
  EXPECT_EQ(merged->facts().parameters, without->facts().parameters);
  EXPECT_EQ(merged->facts().trained, merged->facts().parameters);
  EXPECT_EQ(spec::parameter_count(spec), merged->facts().parameters);
  ASSERT_TRUE(merged->step(nullptr, 0) && without->step(nullptr, 0));
  EXPECT_EQ(merged->facts().generated, without->facts().generated);
}

struct EveryAdapter : testing::TestWithParam<spec::WorkloadSpec> {};

TEST_P(EveryAdapter, AloneIsTrained) {
  const spec::WorkloadSpec& spec = GetParam();
  spec::WorkloadSpec plain = spec;
  plain.lora_rank = 0;
  const auto execution = made(spec), without = made(plain);
  EXPECT_EQ(execution->facts().parameters, spec::parameter_count(spec));
  EXPECT_EQ(execution->facts().trained, spec::trained_count(spec));
  EXPECT_LT(execution->facts().trained, execution->facts().parameters);
  std::vector<at::Tensor> before;
  for (const Parameter& one : execution->parameters())
    before.push_back(one.tensor.detach().clone());
  const double first = execution->step(nullptr, 0).value().loss;
  EXPECT_EQ(first, without->step(nullptr, 0).value().loss) << "B is zero, the weights are the same";
  double last = first;
  for (int i = 1; i < 30; ++i) last = execution->step(nullptr, i).value().loss;
  EXPECT_LT(last, 0.97 * first);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Parameter& one = execution->parameters()[i];
    EXPECT_EQ(one.tensor.grad().defined(), is_adapter(one)) << one.name;
    EXPECT_EQ(at::equal(one.tensor, before[i]), !is_adapter(one)) << one.name;
    const at::ScalarType type = one.tensor.scalar_type();
    EXPECT_TRUE(!is_adapter(one) || type == at::kFloat) << one.name;
  }
}

std::vector<spec::WorkloadSpec> every_adapted() {
  std::vector<spec::WorkloadSpec> specs;
  for (const auto on : {LoraOn::qv, LoraOn::qkvo, LoraOn::all}) {
    specs.push_back(adapted(Pass::full_step, on));
    specs.back().dtype = on == LoraOn::qkvo ? spec::DataType::bf16 : spec::DataType::fp32;
    if (on == LoraOn::all) specs.back().checkpoint = spec::Checkpoint::blocks;
  }
  specs.push_back(adapted());
  specs.back().autocast = spec::Autocast::bf16;
  specs.push_back(adapted(Pass::full_step, LoraOn::all));
  specs.back().kernels = spec::Kernels::own;
  specs.push_back(small_gpt2(Pass::full_step));
  specs.back().lora_rank = 6;
  specs.back().lora_on = LoraOn::all;
  specs.back().learning_rate = 0.02;
  // A language model that reads images has them, too.
  for (const auto on : {LoraOn::qv, LoraOn::qkvo, LoraOn::all}) {
    specs.push_back(adapted(Pass::full_step, on, WorkloadKind::vlm));
    specs.back().dtype = on == LoraOn::qkvo ? spec::DataType::bf16 : spec::DataType::fp32;
    if (on != LoraOn::qv) specs.back().checkpoint = spec::Checkpoint::blocks;
    if (on == LoraOn::all) specs.back().pool = spec::Pool::resampler;
  }
  return specs;
}
INSTANTIATE_TEST_SUITE_P(All, EveryAdapter, testing::ValuesIn(every_adapted()),
                         [](const auto& one) { return "of" + std::to_string(one.index); });

predict::DryRun dry(const spec::WorkloadSpec& spec, base::StringTable& strings) {
  predict::DryRunOptions options;
  options.rules = spec::DeviceKind::cpu;
  auto run = dry_runner().dry_run(spec, options, strings, {});
  EXPECT_TRUE(run) << run.error().sentence;
  return std::move(*run);
}

std::int64_t held_at_end(const predict::DryRun& run, Category category) {
  const auto last = static_cast<memory::EventIndex>(run.log.events().size() - 1);
  return run.log.by_category_after(last)[static_cast<std::size_t>(category)];
}

// Gradients and two moments of 4 bytes for what is trained, and the count of the steps; nothing for
// what is frozen.
TEST(AdapterMemory, GradientsAndStatesAreThoseOfTheAdapters) {
  for (const auto dtype : {spec::DataType::fp32, spec::DataType::bf16}) {
    spec::WorkloadSpec spec = adapted(Pass::full_step, LoraOn::all);
    spec.dtype = dtype;
    spec.layers = 7;  // some of them repeated
    base::StringTable strings;
    const predict::DryRun run = dry(spec, strings);
    const std::int64_t element = dtype == spec::DataType::fp32 ? 4 : 2;
    EXPECT_EQ(run.parameters, spec::parameter_count(spec));
    EXPECT_EQ(run.trained, spec::trained_count(spec));
    EXPECT_EQ(held_at_end(run, Category::parameter),
              element * (run.parameters - run.trained) + 4 * run.trained);
    EXPECT_EQ(held_at_end(run, Category::gradient), 4 * run.trained);
    EXPECT_EQ(held_at_end(run, Category::optimizer_state), 8 * run.trained + 4);
  }
}

// Bytes that wait for the backward: what lives when it begins, less what lived before the step.
std::int64_t kept(spec::WorkloadSpec spec, std::int64_t layers) {
  spec.layers = layers;
  base::StringTable strings;
  const predict::DryRun run = dry(spec, strings);
  for (const memory::PhaseSpan& span : run.log.phases()) {
    if (span.phase != base::Phase::backward || span.step != 0) continue;
    const auto held = run.log.by_category_after(span.first_event - 1);
    return held[static_cast<std::size_t>(Category::activation)];
  }
  ADD_FAILURE() << "no backward";
  return 0;
}

std::int64_t kept_by_a_layer(const spec::WorkloadSpec& spec) {
  return kept(spec, 6) - kept(spec, 5);
}

// An adapter keeps A x, [B, T, rank] in fp32, beside x, which q and v keep for one another. Frozen
// layers do not keep their input, nor frozen norms what they multiply with their weight: that is
// 4 d + d_ff numbers a token less, with q and v adapted.
TEST(AdapterMemory, WhatALayerKeepsFollowsTheFormula) {
  const spec::WorkloadSpec qv = adapted(Pass::forward_backward);
  spec::WorkloadSpec plain = qv;
  plain.lora_rank = 0;
  const std::int64_t tokens = qv.batch * qv.seq_len;
  const std::int64_t less = 4 * tokens * (4 * qv.d_model + qv.d_ff);
  EXPECT_EQ(kept_by_a_layer(plain) - kept_by_a_layer(qv), less - 2 * 4 * tokens * qv.lora_rank);
  spec::WorkloadSpec twice = qv;
  twice.lora_rank *= 2;
  EXPECT_EQ(kept_by_a_layer(twice) - kept_by_a_layer(qv), 2 * 4 * tokens * qv.lora_rank);
  // All: the inputs are kept again, and seven times A x.
  spec::WorkloadSpec all = qv;
  all.lora_on = LoraOn::all;
  EXPECT_EQ(kept_by_a_layer(plain) - kept_by_a_layer(all),
            4 * tokens * 2 * qv.d_model - 7 * 4 * tokens * qv.lora_rank);
}

// Beside weights of 16 bits every adapter casts its input to fp32, and keeps that, too.
TEST(AdapterMemory, NarrowLayersKeepAWideInputForEachAdapter) {
  spec::WorkloadSpec qv = adapted(Pass::forward_backward);
  qv.dtype = spec::DataType::bf16;
  spec::WorkloadSpec qkvo = qv;
  qkvo.lora_on = LoraOn::qkvo;
  const std::int64_t tokens = qv.batch * qv.seq_len;
  EXPECT_EQ(kept_by_a_layer(qkvo) - kept_by_a_layer(qv),
            2 * 4 * tokens * (qv.d_model + qv.lora_rank));
}

}  // namespace
}  // namespace ts::kernels
