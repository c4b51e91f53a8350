#include "core/checks/comparison_checks.h"

#include <gtest/gtest.h>

#include "tests/spec/preset_spec.h"

namespace ts::checks {
namespace {

using report::CheckState;

// A and B train alike; B's loss is off by a share in its last step.
run::Comparison trained(double off, int pairs = 12) {
  run::Comparison comparison;
  comparison.stage = run::Stage::done;
  for (int side = 0; side < 2; ++side) {
    run::ComparedSide& of = comparison.sides[static_cast<std::size_t>(side)];
    of.spec = spec::preset_spec(spec::WorkloadKind::lm, "tiny");
    of.spec.pass = spec::Pass::full_step;
    for (int i = 0; i < pairs; ++i) {
      run::StepTimes step;
      step.total_ns = side == 0 ? 2'000'000 : 1'000'000;
      step.loss = 6.9 - 0.1 * i;
      if (side == 1 && i + 1 == pairs) step.loss *= 1 + off;
      of.timed_steps.push_back(step);
    }
  }
  comparison.sides[1].spec.threads = 1;
  run::judge(comparison);
  return comparison;
}

CheckState state(const std::vector<report::CheckResult>& all, std::string_view id) {
  for (const report::CheckResult& one : all) {
    if (one.id == id) return one.state;
  }
  ADD_FAILURE() << id << " is missing";
  return CheckState::unknown;
}

TEST(ComparisonChecks, PairsAreTheEvidence) {
  EXPECT_EQ(state(of_comparison(trained(0), false), "C-22"), CheckState::passed);
  EXPECT_EQ(state(of_comparison(trained(0, 8), false), "C-22"), CheckState::noted);
  run::Comparison ended = trained(0);
  ended.failure = run::Failure(base::Message{.sentence = "out of memory"});
  EXPECT_TRUE(of_comparison(ended, false).empty());
}

TEST(ComparisonChecks, LossesAreComparedStepByStep) {
  EXPECT_EQ(state(of_comparison(trained(0.009), false), "C-23"), CheckState::passed);
  EXPECT_EQ(state(of_comparison(trained(0.011), false), "C-23"), CheckState::failed);
  run::Comparison longer = trained(0);
  longer.sides[1].spec.seq_len *= 2;
  EXPECT_EQ(state(of_comparison(longer, false), "C-23"), CheckState::unknown) << "other batches";
  run::Comparison without = trained(0);
  for (run::ComparedSide& side : without.sides) {
    for (run::StepTimes& step : side.timed_steps) step.loss = 0;
  }
  EXPECT_EQ(state(of_comparison(without, false), "C-23"), CheckState::unknown) << "no loss";
}

TEST(ComparisonChecks, ABaselineIsStoredOnceItIsSaved) {
  EXPECT_EQ(state(of_comparison(trained(0), false), "C-24"), CheckState::unknown);
  EXPECT_EQ(state(of_comparison(trained(0), true), "C-24"), CheckState::passed);
}

}  // namespace
}  // namespace ts::checks
