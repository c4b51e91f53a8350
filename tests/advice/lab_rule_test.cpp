// The lab's rule as it is published, and below its bands, where it divides by zero (E-36).
#include "core/advice/lab_rule.h"

#include <gtest/gtest.h>

namespace ts::advice {
namespace {

TEST(LabRule, HasThePublishedBands) {
  constexpr std::int64_t kGb = 1'000'000'000;
  const auto check = [](std::int64_t memory, std::int64_t length, std::int64_t batch,
                        std::int64_t accumulate, bool checkpoints) {
    const LabRule rule = lab_rule(memory, length, false);
    EXPECT_EQ(rule.batch, batch) << memory << " " << length;
    EXPECT_EQ(rule.accumulate, accumulate) << memory << " " << length;
    EXPECT_EQ(rule.checkpoints, checkpoints) << memory << " " << length;
  };
  // Its example: 16 GB without a GPU, 2,048, medium.
  check(16 * kGb, 2048, 4, 8, true);
  check(8 * kGb, 512, 4, 8, false);
  check(80 * kGb, 512, 16, 2, false);
  check(80 * kGb, 1024, 8, 4, false);
  check(25 * kGb + kGb / 2, 4096, 2, 16, true);
  check(80 * kGb, 1 << 20, 1, 32, true);
  // The published rule has B = 0 here.
  check(kGb, 512, 1, 32, false);
  check(1, 4096, 1, 32, true);
  EXPECT_TRUE(lab_rule(8 * kGb, 512, true).checkpoints);
}

TEST(LabRule, SetsWhatAppliesAndNothingElse) {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.pass = spec::Pass::full_step;
  spec.seq_len = 2048;
  const predict::PredictionTarget target = predict::cpu_target("a limit", 16'000'000'000);
  const spec::WorkloadSpec by_rule = with_lab_rule(spec, target, false);
  EXPECT_TRUE(spec::validate(by_rule).empty());
  EXPECT_EQ(by_rule.batch * by_rule.accumulate, 32);
  EXPECT_EQ(by_rule.checkpoint, spec::Checkpoint::blocks);
  EXPECT_EQ(by_rule.backend, spec::AttentionBackend::flash);
  EXPECT_EQ(by_rule.autocast, spec::Autocast::fp16);
  EXPECT_TRUE(by_rule.grad_scaler);
  EXPECT_EQ(by_rule.d_model, spec.d_model);
  spec.workload = spec::WorkloadKind::mlp;
  EXPECT_EQ(with_lab_rule(spec, target, false).accumulate, 1);
}

}  // namespace
}  // namespace ts::advice
