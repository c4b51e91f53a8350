// Points that are out of memory without having been run.
#include "core/sweep/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/sweep/made_sweeps.h"

namespace ts::sweep {
namespace {

using namespace testing;

TEST(Sweep, BeyondTheEdgeOneRunConfirmsTheRestIsMarked) {
  Sweep sweep(over_t("T=64:65536:x2"));  // eleven values, the middle one is 2048
  const auto ran = run_all(sweep, with_limit(512));
  std::size_t naive_oom_runs = 0;
  for (const std::size_t i : ran) {
    const SweepPoint& point = sweep.points()[i];
    if (point.series == 0 && point.at[0] > 512) ++naive_oom_runs;
  }
  // 2048 fails, 65536 confirms, and looking for the edge between 64 and 2048 finds 1024 or so.
  EXPECT_LE(naive_oom_runs, 3U);
  std::size_t marked = 0;
  for (const SweepPoint& point : sweep.points()) {
    if (point.series != 0 || point.at[0] <= 512) {
      EXPECT_EQ(point.status, PointStatus::ok);
      continue;
    }
    EXPECT_EQ(point.status, PointStatus::oom) << point.at[0];
    if (!point.measured) {
      ++marked;
      EXPECT_NE(point.reason.sentence.find("already out of memory"), std::string::npos)
          << point.reason.sentence;
    } else {
      EXPECT_EQ(point.measurement.op, "aten::bmm");
    }
  }
  EXPECT_EQ(marked + naive_oom_runs, 7U);
}

TEST(Sweep, ARunThatFitsBeyondAnEdgeEndsTheMarking) {
  Sweep sweep(over_t("T=64:65536:x2", nullptr));
  // Fragmentation, another process: 2048 fails, everything else fits.
  const auto ran = run_all(sweep, [](const spec::WorkloadSpec& spec) {
    return spec.seq_len == 2048 ? run::testing::stopped_run(spec, run::Verdict::oom)
                                : run::testing::made_run(spec, 1, 1000);
  });
  EXPECT_EQ(ran.size(), 11U) << "nothing may be guessed";
  EXPECT_EQ(sweep.count(PointStatus::oom), 1U);
}

TEST(Sweep, PredictionsMarkWhatDoesNotFitAndOneRunASeriesConfirms) {
  Sweep sweep(over_t("T=64:65536:x2"));  // naive fits up to 512: 2 MiB
  predict_all(sweep, as_theory, 8 * 512 * 512);
  EXPECT_EQ(sweep.count(PointStatus::oom), 6U + 6U) << "before anything ran: of seven naive points "
                                                       "beyond the edge one is left, and so of "
                                                       "seven of flash";
  const auto ran = run_all(sweep, [](const spec::WorkloadSpec& spec) {
    return as_theory(spec).memory.peak_bytes() > 8 * 512 * 512
               ? run::testing::stopped_run(spec, run::Verdict::oom)
               : as_theory(spec);
  });
  EXPECT_EQ(ran.size(), 4U + 1U + 4U + 1U);
  for (const std::size_t i : ran) {
    const SweepPoint& point = sweep.points()[i];
    EXPECT_TRUE(point.at[0] <= 1024) << "the run that confirms is the one nearest to the edge";
  }
  for (const SweepPoint& point : sweep.points()) {
    if (point.measured) continue;
    EXPECT_EQ(point.status, PointStatus::oom);
    EXPECT_NE(point.reason.sentence.find("Predicted, not run: aten::_softmax needs"),
              std::string::npos)
        << point.reason.sentence;
  }
  EXPECT_EQ(sweep.seconds_left(), 0);
}

TEST(Sweep, APredictionThatARunContradictsIsNotBelieved) {
  Sweep sweep(over_t("T=64:1024:x2", nullptr));
  predict_all(sweep, as_theory, 8 * 64 * 64);  // says that only the first fits
  EXPECT_EQ(sweep.count(PointStatus::oom), 3U);
  const auto ran = run_all(sweep, as_theory);
  EXPECT_EQ(ran.size(), 5U) << "all of them fit";
  EXPECT_EQ(sweep.count(PointStatus::ok), 5U);
}

TEST(Sweep, APredictionThatWasTooHopefulCostsOneRun) {
  Sweep sweep(over_t("T=64:65536:x2", nullptr));
  predict_all(sweep, as_theory, 8LL * 4096 * 4096);  // 8192 and more do not fit
  const auto ran = run_all(sweep, with_limit(512));
  std::size_t beyond = 0;
  for (const std::size_t i : ran) beyond += sweep.points()[i].at[0] > 512 ? 1 : 0;
  EXPECT_LE(beyond, 3U) << "2048 and what finds the edge; none of those predicted";
  for (const std::size_t i : ran) EXPECT_LE(sweep.points()[i].at[0], 4096);
}

TEST(Sweep, OnAPlaneMarksOnlyWhatIsLargerInBothAxes) {
  SweepSpec spec = over_t("T=64:1024:x2", nullptr);
  spec.axes.push_back(*parse_axis("B=1:16:x2"));
  Sweep sweep(spec);
  const auto fits = [](const spec::WorkloadSpec& one) { return one.batch * one.seq_len <= 1024; };
  const auto ran = run_all(sweep, [&](const spec::WorkloadSpec& one) {
    return fits(one) ? run::testing::made_run(one, 1, 1000)
                     : run::testing::stopped_run(one, run::Verdict::oom);
  });
  EXPECT_LT(ran.size(), sweep.points().size());
  for (const SweepPoint& point : sweep.points()) {
    EXPECT_EQ(point.status == PointStatus::ok, fits(point.spec))
        << point.at[0] << " " << point.at[1];
  }
}

TEST(Sweep, AMemoryLimitAxisIsNeverMarked) {
  Sweep sweep(over_t("memory_limit=16MiB:128MiB:x2", nullptr));
  const auto ran = run_all(sweep, [](const spec::WorkloadSpec& spec) {
    return spec.memory_limit < (64 << 20) ? run::testing::stopped_run(spec, run::Verdict::oom)
                                          : run::testing::made_run(spec, 1, 1000);
  });
  EXPECT_EQ(ran.size(), 4U) << "more memory is not more to fit";
  EXPECT_EQ(sweep.count(PointStatus::ok), 2U);
}

}  // namespace
}  // namespace ts::sweep
