// Points and series that are added to a sweep.
#include "core/sweep/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/sweep/made_sweeps.h"

namespace ts::sweep {
namespace {

using namespace testing;

TEST(Sweep, IsWidenedWhileItRunsAndLosesNothing) {
  Sweep sweep(over_t("T=64:256:x2"));
  const auto first = sweep.next();
  sweep.start(*first);
  sweep.finish(*first, as_theory(sweep.points()[*first].spec));
  const auto running = sweep.next();
  sweep.start(*running);
  const spec::WorkloadSpec of_running = sweep.points()[*running].spec;

  const auto wider = widened(sweep.spec(), over_t("T=128:512:x2", "backend=math,flash"));
  ASSERT_TRUE(wider.has_value()) << wider.error().sentence;
  EXPECT_EQ(wider->axes[0].values, (std::vector<std::int64_t>{64, 128, 256, 512}));
  const auto moved = sweep.widen(*wider);
  ASSERT_EQ(sweep.points().size(), 12U);
  EXPECT_EQ(sweep.running(), moved[*running]);
  EXPECT_TRUE(sweep.points()[*sweep.running()].spec == of_running);
  const SweepPoint& kept = sweep.points()[moved[*first]];
  EXPECT_TRUE(kept.measured);
  EXPECT_EQ(kept.at[0], 64);
  EXPECT_EQ(sweep.series()[kept.series].label, "naive");
  sweep.finish(*sweep.running(), as_theory(of_running));
  EXPECT_EQ(run_all(sweep, as_theory).size(), 10U) << "the two that are known are not run again";
  EXPECT_EQ(sweep.count(PointStatus::ok), 12U);
}

TEST(Sweep, OnlyTheSameSettingsCanBeAdded) {
  const SweepSpec spec = over_t("T=64:256:x2");
  const auto why = [&](const SweepSpec& more) {
    const auto wider = widened(spec, more);
    return wider ? std::string() : wider.error().sentence;
  };
  EXPECT_EQ(why(over_t("T=512")), "");
  EXPECT_NE(why(over_t("B=1,2")).find("same settings"), std::string::npos);
  EXPECT_NE(why(over_t("T=512", nullptr)).find("same settings"), std::string::npos);
  EXPECT_NE(why(over_t("T=64,128")).find("has all of these"), std::string::npos);
  SweepSpec other = over_t("T=512");
  other.base.heads = 3;
  EXPECT_NE(why(other).find("differ"), std::string::npos);
  other.base.heads = spec.base.heads;
  other.base.seq_len = 999;  // what varies does not count
  EXPECT_EQ(why(other), "");
}

}  // namespace
}  // namespace ts::sweep
