// The state of a sweep, with runs that are made up: what is run, when, and for how long.
#include "core/sweep/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/sweep/sweep_results.h"
#include "tests/sweep/made_sweeps.h"

namespace ts::sweep {
namespace {

using namespace testing;

TEST(Sweep, RunsCoarseToFineAndTheSeriesInTurn) {
  Sweep sweep(over_t("T=64:1024:x2"));
  ASSERT_EQ(sweep.points().size(), 10U);
  const auto ran = run_all(sweep, as_theory);
  ASSERT_EQ(ran.size(), 10U);
  const auto t = [&](std::size_t i) { return sweep.points()[ran[i]].at[0]; };
  const auto label = [&](std::size_t i) {
    return sweep.series()[sweep.points()[ran[i]].series].label;
  };
  EXPECT_EQ(t(0), 64);
  EXPECT_EQ(t(1), 64);
  EXPECT_EQ(t(2), 256);
  EXPECT_EQ(t(4), 1024);
  EXPECT_EQ(label(0), "naive");
  EXPECT_EQ(label(1), "flash");
  EXPECT_EQ(label(2), "flash") << "forwards and backwards in turn";
  EXPECT_EQ(label(3), "naive");
  EXPECT_TRUE(sweep.finished());
  EXPECT_EQ(sweep.count(PointStatus::ok), 10U);
}

TEST(Sweep, APointThatIsAskedForIsRunWhateverIsPredicted) {
  Sweep sweep(over_t("T=64:1024:x2", nullptr));
  predict_all(sweep, as_theory, 8 * 64 * 64);
  sweep.rerun(4);
  EXPECT_EQ(sweep.next(), 4U) << "and next";
  sweep.start(4);
  sweep.finish(4, run::testing::stopped_run(sweep.points()[4].spec, run::Verdict::oom));
  EXPECT_TRUE(sweep.points()[4].measured);
  EXPECT_EQ(sweep.count(PointStatus::oom), 4U) << "it confirmed the edge";
  EXPECT_EQ(sweep.count(PointStatus::pending), 1U);
}

TEST(Sweep, ImpossiblePointsFailWithTheirReasonAndAreNotRun) {
  SweepSpec spec = over_t("d_model=129,256", nullptr);
  spec.base.workload = spec::WorkloadKind::block;
  Sweep sweep(spec);
  EXPECT_EQ(run_all(sweep, as_theory).size(), 1U);
  EXPECT_EQ(sweep.points()[0].status, PointStatus::failed);
  EXPECT_FALSE(sweep.points()[0].reason.empty());
  sweep.rerun(0);
  EXPECT_EQ(sweep.points()[0].status, PointStatus::failed) << "there is nothing to run";
}

TEST(Sweep, TooSlowByEstimateAndByTheClock) {
  SweepSpec spec = over_t("T=64:16384:x2", nullptr);
  spec.max_point_s = 60;
  Sweep sweep(spec);
  bool first = true;
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const spec::WorkloadSpec& one = sweep.points()[*point].spec;
    if (one.seq_len == 2048) {
      sweep.finish(*point, run::testing::stopped_run(one, run::Verdict::cancelled), true);
    } else {
      sweep.finish(*point, as_theory(one));
    }
    first = false;
  }
  EXPECT_FALSE(first);
  for (const SweepPoint& point : sweep.points()) {
    if (point.at[0] == 2048) {
      EXPECT_EQ(point.status, PointStatus::too_slow);
      EXPECT_TRUE(point.measured);
    }
    if (point.at[0] == 16384) {
      EXPECT_EQ(point.status, PointStatus::too_slow) << "2,684 ms a step, 26 steps and more";
      EXPECT_FALSE(point.measured);
      EXPECT_NE(point.reason.sentence.find("it would take about"), std::string::npos)
          << point.reason.sentence;
    }
  }
}

TEST(Sweep, BeyondAnEdgeTheTimeItWouldTakeDoesNotCount) {
  SweepSpec spec = over_t("T=64:65536:x2");
  spec.max_point_s = 60;
  Sweep sweep(spec);
  run_all(sweep, with_limit(512));
  EXPECT_EQ(sweep.points()[10].at[0], 65536);
  EXPECT_EQ(sweep.points()[10].status, PointStatus::oom) << "an hour long, but it cannot begin";
  EXPECT_EQ(sweep.points()[21].status, PointStatus::too_slow) << "flash has no edge";
}

TEST(Sweep, TimeLeftFollowsTheFlops) {
  Sweep sweep(over_t("T=512:4096:x2", nullptr));
  EXPECT_LT(sweep.seconds_left(), 0) << "nothing is known yet";
  const auto point = sweep.next();
  sweep.start(*point);
  sweep.finish(*point, as_theory(sweep.points()[*point].spec));  // T = 512
  const double of_1024 = sweep.expected_seconds(1);
  const double of_4096 = sweep.expected_seconds(3);
  // 25.5 steps of 2.62 ms, 4 and 64 times as long; besides them what the first run took.
  const double besides = 0.2 + 4.5 * 2.62144e-3;
  EXPECT_NEAR(of_1024 - besides, 4 * 25.5 * 2.62144e-3, 0.02);
  EXPECT_NEAR(of_4096 - besides, 64 * 25.5 * 2.62144e-3, 0.3);
  EXPECT_NEAR(sweep.seconds_left(), of_1024 + sweep.expected_seconds(2) + of_4096, 1e-9);
  run_all(sweep, as_theory);
  EXPECT_EQ(sweep.seconds_left(), 0);
}

TEST(Sweep, CancelledPointsRunAgainGivenBackOnesStayPending) {
  Sweep sweep(over_t("T=64:256:x2", nullptr));
  const auto point = sweep.next();
  sweep.start(*point);
  EXPECT_FALSE(sweep.next().has_value()) << "one at a time";
  EXPECT_FALSE(sweep.finished());
  sweep.give_back(*point);
  EXPECT_EQ(sweep.points()[*point].status, PointStatus::pending);
  sweep.start(*point);
  sweep.finish(*point,
               run::testing::stopped_run(sweep.points()[*point].spec, run::Verdict::cancelled));
  sweep.cancel_rest();
  EXPECT_TRUE(sweep.finished());
  EXPECT_EQ(sweep.count(PointStatus::cancelled), 3U);
  sweep.resume();
  EXPECT_EQ(run_all(sweep, as_theory).size(), 3U);
  sweep.rerun(1);
  EXPECT_EQ(run_all(sweep, as_theory).size(), 1U);
}

}  // namespace
}  // namespace ts::sweep
