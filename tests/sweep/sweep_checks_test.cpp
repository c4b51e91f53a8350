// The checks that a sweep answers, with values that pass and values that do not.
#include "core/sweep/sweep_checks.h"

#include <gtest/gtest.h>

#include "tests/sweep/made_sweeps.h"

namespace ts::sweep {
namespace {

using report::CheckState;
using testing::over_t;
using testing::run_all;

std::vector<report::CheckResult> found(const SweepSpec& spec, const testing::Behaviour& behaviour,
                                       const char* id) {
  Sweep sweep(spec);
  run_all(sweep, behaviour);
  std::vector<report::CheckResult> all;
  for (const report::CheckResult& one : checks_of(sweep)) {
    if (one.id == std::string(id)) all.push_back(one);
  }
  return all;
}

TEST(SweepChecks, FlashIsComparedAtShortLengths) {
  // Naive takes 0.655 ms at 256, flash 5.16.
  const auto all = found(over_t("T=256,512,1024"), testing::as_theory, "C-11");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].state, CheckState::noted);
  EXPECT_EQ(all[0].found.sentence, "At T = 256 flash is 0.13 times as fast as naive");
  EXPECT_TRUE(found(over_t("T=1024,2048"), testing::as_theory, "C-11").empty());
  EXPECT_TRUE(found(over_t("T=256,512", "backend=naive,math"), testing::as_theory, "C-11").empty());
}

TEST(SweepChecks, ADoublingTakesAtMostSixTimesAsLong) {
  const auto square = found(over_t("T=256,512,1024", nullptr), testing::as_theory, "C-27");
  ASSERT_EQ(square.size(), 1U);
  EXPECT_EQ(square[0].state, CheckState::passed);
  const auto spilled = [](const spec::WorkloadSpec& spec) {
    return run::testing::made_run(
        spec, spec.seq_len == 1024 ? 70 : static_cast<double>(spec.seq_len) / 256, 1 << 20);
  };
  const auto slow = found(over_t("T=256,512,1024", nullptr), spilled, "C-27");
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_EQ(slow[0].state, CheckState::failed);
  EXPECT_NE(slow[0].found.sentence.find("1,024 takes 35.00 times as long as 512"),
            std::string::npos)
      << slow[0].found.sentence;
  EXPECT_TRUE(found(over_t("T=256,1024", nullptr), spilled, "C-27").empty()) << "no doubling";
}

TEST(SweepChecks, ABatchSweepHasTimeAndMemory) {
  EXPECT_EQ(found(over_t("B=1,2,4", nullptr), testing::as_theory, "C-17").size(), 1U);
  EXPECT_TRUE(found(over_t("T=256,512", nullptr), testing::as_theory, "C-17").empty());
}

}  // namespace
}  // namespace ts::sweep
