// The numbers of a step against the same step in fp64, over everything the engine can do.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "core/spec/workload_math.h"
#include "tests/kernels/gallery.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

run::ValueErrors errors_of(const spec::WorkloadSpec& spec) {
  auto errors = engine().compare_values(spec, kPlenty, {});
  if (!errors) ADD_FAILURE() << errors.error().sentence;
  return errors ? *errors : run::ValueErrors{};
}

// The largest errors of a type in steps of a few layers; that of fp32 is the course's. A gradient
// of 16 bits may lose most of its digits where larger terms cancel.
struct Most {
  double values = 1e-5, gradients = 1e-5;
};
Most most(spec::DataType type) {
  if (type == spec::DataType::fp16) return {5e-3, 2e-2};
  return type == spec::DataType::bf16 ? Most{5e-2, 0.5} : Most{};
}

TEST(Fp64Reference, EverythingComputesWhatPlainOperatorsDo) {
  struct Worst {
    double values = 0, gradients = 0;
    std::string of_values, of_gradients;
  };
  std::map<std::string, Worst> worst;
  std::size_t compared = 0;
  for (const Exhibit& exhibit : gallery()) {
    SCOPED_TRACE(exhibit.name);
    if (spec::compiles_step(exhibit.spec) || !spec::validate(exhibit.spec).empty()) continue;
    // Without the optimizer it is forward and backward; the scale alone is of a full step.
    const bool twice = exhibit.spec.pass == spec::Pass::full_step;
    if (twice && !spec::scales_loss(exhibit.spec)) continue;
    const run::ValueErrors errors = errors_of(exhibit.spec);
    if (!errors.not_compared.empty()) continue;
    ++compared;
    const spec::DataType type = spec::compute_type(exhibit.spec);
    // Without a scale small gradients of fp16 are 0.
    const bool underflows = type == spec::DataType::fp16 && !spec::scales_loss(exhibit.spec);
    EXPECT_LE(errors.values, most(type).values);
    EXPECT_EQ(errors.gradients.has_value(), spec::has_backward(exhibit.spec.pass));
    const double gradients = underflows ? 0 : errors.gradients.value_or(0);
    EXPECT_LE(gradients, most(type).gradients) << errors.worst_gradient;
    Worst& of = worst[to_string(type)];
    if (errors.values > of.values) {
      of.values = errors.values;
      of.of_values = exhibit.name;
    }
    if (gradients > of.gradients) {
      of.gradients = gradients;
      of.of_gradients = exhibit.name + ": " + errors.worst_gradient;
    }
  }
  EXPECT_GT(compared, 300U);
  for (const auto& [type, of] : worst) {
    std::printf("%s: values %.1e (%s), gradients %.1e (%s)\n", type.c_str(), of.values,
                of.of_values.c_str(), of.gradients, of.of_gradients.c_str());
  }
}

TEST(Fp64Reference, FewerBitsAreFurtherOff) {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm);
  const run::ValueErrors fp32 = errors_of(spec);
  spec.dtype = spec::DataType::bf16;
  const run::ValueErrors bf16 = errors_of(spec);
  EXPECT_GT(fp32.values, 0) << "fp64 is not compared with itself";
  EXPECT_GT(bf16.values, 100 * fp32.values);
  EXPECT_GT(*bf16.gradients, 100 * *fp32.gradients);
  EXPECT_FALSE(bf16.worst_gradient.empty());
}

// Gradients of fp16 that are too small become 0; with a scale they do not.
TEST(Fp64Reference, AScaleSavesSmallGradients) {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::mlp, spec::Pass::full_step);
  spec.batch = 64;
  spec.autocast = spec::Autocast::fp16;
  const double without = *errors_of(spec).gradients;
  spec.grad_scaler = true;
  const double with = *errors_of(spec).gradients;
  EXPECT_LT(with, 0.5 * without);
  // One that overflows is halved until it does not.
  spec.init_scale = std::int64_t{1} << 40;
  EXPECT_LT(*errors_of(spec).gradients, 0.5 * without);
}

TEST(Fp64Reference, WhatHasNoneSaysWhy) {
  const auto why = [](const spec::WorkloadSpec& spec) { return errors_of(spec).not_compared.key; };
  EXPECT_EQ(why(small_spec(spec::WorkloadKind::lm, spec::Pass::generate)), "no_reference.generate");
  EXPECT_EQ(why(small_spec(spec::WorkloadKind::accumulation, spec::Pass::forward)),
            "no_reference.numbers");
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm);
  spec.dropout = 0.1;
  EXPECT_EQ(why(spec), "no_reference.dropout");
  spec = small_spec(spec::WorkloadKind::lm);
  spec.experts = 4;
  EXPECT_EQ(why(spec), "");
  spec.autocast = spec::Autocast::bf16;
  EXPECT_EQ(why(spec), "no_reference.experts");
}

TEST(Fp64Reference, ThatDoesNotFitIsOutOfMemory) {
  const auto errors =
      engine().compare_values(small_spec(spec::WorkloadKind::lm), std::int64_t{1} << 20, {});
  ASSERT_FALSE(errors);
  EXPECT_EQ(errors.error().verdict, run::Verdict::oom);
}

}  // namespace
}  // namespace ts::kernels
