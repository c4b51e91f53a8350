// The state of a sweep, with runs that are made up.
#include "core/run/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/run/sweep_json.h"
#include "core/run/sweep_results.h"
#include "core/run/sweep_table.h"
#include "tests/run/made_runs.h"

namespace ts::run {
namespace {

SweepSpec over_t(const char* axis, const char* series = "backend=naive,flash") {
  SweepSpec spec;
  spec.axes = {*parse_axis(axis)};
  if (series != nullptr) spec.series = {*parse_series(series)};
  spec.max_point_s = 1e6;
  return spec;
}

using Behaviour = std::function<Run(const WorkloadSpec&)>;

// Step time and memory as theory has them: naive T^2 in both, flash T^2 and T.
Run as_theory(const WorkloadSpec& spec) {
  const auto t = static_cast<double>(spec.seq_len);
  const bool naive = spec.backend == AttentionBackend::naive;
  const double ms = naive ? t * t / 1e5 : 5 + t * t / 4e5;
  const double bytes = naive ? t * t * 8 : t * 4096;
  return testing::made_run(spec, ms, static_cast<std::int64_t>(bytes));
}

Behaviour with_limit(std::int64_t largest_that_fits) {
  return [largest_that_fits](const WorkloadSpec& spec) {
    if (spec.backend == AttentionBackend::naive && spec.seq_len > largest_that_fits) {
      return testing::stopped_run(spec, Verdict::oom);
    }
    return as_theory(spec);
  };
}

std::vector<std::size_t> run_all(Sweep& sweep, const Behaviour& behaviour) {
  std::vector<std::size_t> ran;
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    ran.push_back(*point);
    sweep.finish(*point, behaviour(sweep.points()[*point].spec));
  }
  return ran;
}

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
      EXPECT_NE(point.reason.find("already out of memory"), std::string::npos) << point.reason;
    } else {
      EXPECT_EQ(point.measurement.op, "aten::bmm");
    }
  }
  EXPECT_EQ(marked + naive_oom_runs, 7U);
}

TEST(Sweep, ARunThatFitsBeyondAnEdgeEndsTheMarking) {
  Sweep sweep(over_t("T=64:65536:x2", nullptr));
  // Fragmentation, another process: 2048 fails, everything else fits.
  const auto ran = run_all(sweep, [](const WorkloadSpec& spec) {
    return spec.seq_len == 2048 ? testing::stopped_run(spec, Verdict::oom)
                                : testing::made_run(spec, 1, 1000);
  });
  EXPECT_EQ(ran.size(), 11U) << "nothing may be guessed";
  EXPECT_EQ(sweep.count(PointStatus::oom), 1U);
}

// By memory: what a prediction says of every point, with the greatest peak that fits.
void predict_all(Sweep& sweep, const Behaviour& behaviour, std::int64_t capacity) {
  std::vector<std::pair<std::size_t, PointPrediction>> found;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    PointPrediction prediction;
    prediction.peak_allocated = behaviour(sweep.points()[i].spec).memory.peak_bytes();
    prediction.capacity = capacity;
    if (prediction.peak_allocated > capacity) {
      prediction.fit = Fit::oom;
      prediction.op = "aten::_softmax";
      prediction.bytes_asked = prediction.peak_allocated / 2;
      prediction.bytes_free = capacity / 2;
    }
    found.emplace_back(i, prediction);
  }
  sweep.predict(std::move(found));
}

TEST(Sweep, PredictionsMarkWhatDoesNotFitAndOneRunASeriesConfirms) {
  Sweep sweep(over_t("T=64:65536:x2"));  // naive fits up to 512: 2 MiB
  predict_all(sweep, as_theory, 8 * 512 * 512);
  EXPECT_EQ(sweep.count(PointStatus::oom), 6U + 6U) << "before anything ran: of seven naive points "
                                                       "beyond the edge one is left, and so of "
                                                       "seven of flash";
  const auto ran = run_all(sweep, [](const WorkloadSpec& spec) {
    return as_theory(spec).memory.peak_bytes() > 8 * 512 * 512
               ? testing::stopped_run(spec, Verdict::oom)
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
    EXPECT_NE(point.reason.find("Predicted, not run: aten::_softmax needs"), std::string::npos)
        << point.reason;
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

TEST(Sweep, APointThatIsAskedForIsRunWhateverIsPredicted) {
  Sweep sweep(over_t("T=64:1024:x2", nullptr));
  predict_all(sweep, as_theory, 8 * 64 * 64);
  sweep.rerun(4);
  EXPECT_EQ(sweep.next(), 4U) << "and next";
  sweep.start(4);
  sweep.finish(4, testing::stopped_run(sweep.points()[4].spec, Verdict::oom));
  EXPECT_TRUE(sweep.points()[4].measured);
  EXPECT_EQ(sweep.count(PointStatus::oom), 4U) << "it confirmed the edge";
  EXPECT_EQ(sweep.count(PointStatus::pending), 1U);
}

TEST(SweepResults, PredictedCurvesGoBeyondTheEdgeAndAreComparedWithMeasuredPeaks) {
  Sweep sweep(over_t("T=64:4096:x2"));
  EXPECT_EQ(prediction_error(sweep).n, 0);
  const Behaviour a_tenth_more = [](const WorkloadSpec& spec) {
    const auto run = as_theory(spec);
    return testing::made_run(spec, 1, run.memory.peak_bytes() / 10 * 11);
  };
  predict_all(sweep, a_tenth_more, 8LL << 30);
  run_all(sweep, with_limit(1024));
  const PredictionError error = prediction_error(sweep);
  EXPECT_EQ(error.n, 12);
  EXPECT_NEAR(error.worst_percent, 10, 0.1);
  int predicted = 0;
  for (const CurveFit& fit : fits_of(sweep)) {
    if (fit.measure != Measure::peak_predicted) continue;
    ++predicted;
    EXPECT_EQ(fit.fit.n, 7) << "also where nothing could be measured";
    EXPECT_NEAR(fit.fit.slope, fit.curve.label == "naive" ? 2 : 1, 1e-3);
  }
  EXPECT_EQ(predicted, 2);
}

TEST(SweepResults, OnlyPredictedTheTableHasPredictedPeaks) {
  Sweep sweep(over_t("T=64:256:x2"));
  predict_all(sweep, as_theory, 8 * 128 * 128);
  const auto table = homework_table(sweep);
  EXPECT_EQ(table.columns[1], "naive MiB predicted");
  EXPECT_NE(table.rows[2][1].find(" OOM"), std::string::npos) << table.rows[2][1];
}

TEST(SweepResults, OnePlaceIsATableOfSeries) {
  SweepSpec spec = over_t("T=64", "preset=small,medium");
  spec.base.workload = WorkloadKind::lm;
  ASSERT_TRUE(check(spec).has_value()) << check(spec).error().sentence;
  Sweep sweep(spec);
  EXPECT_EQ(sweep.points()[1].spec.d_model, 1024) << "the shape of medium";
  EXPECT_EQ(sweep.points()[1].spec.seq_len, 64);
  run_all(sweep, as_theory);
  const auto table = homework_table(sweep);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1][0], "medium");
  EXPECT_EQ(table.columns[3], "forward ms");
}

TEST(Sweep, IsWidenedWhileItRunsAndLosesNothing) {
  Sweep sweep(over_t("T=64:256:x2"));
  const auto first = sweep.next();
  sweep.start(*first);
  sweep.finish(*first, as_theory(sweep.points()[*first].spec));
  const auto running = sweep.next();
  sweep.start(*running);
  const WorkloadSpec of_running = sweep.points()[*running].spec;

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

TEST(Sweep, OnAPlaneMarksOnlyWhatIsLargerInBothAxes) {
  SweepSpec spec = over_t("T=64:1024:x2", nullptr);
  spec.axes.push_back(*parse_axis("B=1:16:x2"));
  Sweep sweep(spec);
  const auto fits = [](const WorkloadSpec& one) { return one.batch * one.seq_len <= 1024; };
  const auto ran = run_all(sweep, [&](const WorkloadSpec& one) {
    return fits(one) ? testing::made_run(one, 1, 1000) : testing::stopped_run(one, Verdict::oom);
  });
  EXPECT_LT(ran.size(), sweep.points().size());
  for (const SweepPoint& point : sweep.points()) {
    EXPECT_EQ(point.status == PointStatus::ok, fits(point.spec))
        << point.at[0] << " " << point.at[1];
  }
}

TEST(Sweep, AMemoryLimitAxisIsNeverMarked) {
  Sweep sweep(over_t("memory_limit=16MiB:128MiB:x2", nullptr));
  const auto ran = run_all(sweep, [](const WorkloadSpec& spec) {
    return spec.memory_limit < (64 << 20) ? testing::stopped_run(spec, Verdict::oom)
                                          : testing::made_run(spec, 1, 1000);
  });
  EXPECT_EQ(ran.size(), 4U) << "more memory is not more to fit";
  EXPECT_EQ(sweep.count(PointStatus::ok), 2U);
}

TEST(Sweep, ImpossiblePointsFailWithTheirReasonAndAreNotRun) {
  SweepSpec spec = over_t("d_model=129,256", nullptr);
  spec.base.workload = WorkloadKind::block;
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
    const WorkloadSpec& one = sweep.points()[*point].spec;
    if (one.seq_len == 2048) {
      sweep.finish(*point, testing::stopped_run(one, Verdict::cancelled), true);
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
      EXPECT_NE(point.reason.find("it would take about"), std::string::npos) << point.reason;
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
  sweep.finish(*point, testing::stopped_run(sweep.points()[*point].spec, Verdict::cancelled));
  sweep.cancel_rest();
  EXPECT_TRUE(sweep.finished());
  EXPECT_EQ(sweep.count(PointStatus::cancelled), 3U);
  sweep.resume();
  EXPECT_EQ(run_all(sweep, as_theory).size(), 3U);
  sweep.rerun(1);
  EXPECT_EQ(run_all(sweep, as_theory).size(), 1U);
}

TEST(SweepResults, SlopesCrossoversAndTables) {
  Sweep sweep(over_t("T=64:4096:x2"));
  run_all(sweep, with_limit(2048));
  const auto fits = fits_of(sweep);
  ASSERT_EQ(fits.size(), 4U);
  EXPECT_EQ(fits[0].curve.label, "naive");
  EXPECT_NEAR(fits[0].fit.slope, 2, 0.01) << "time";
  EXPECT_NEAR(fits[1].fit.slope, 2, 1e-9) << "memory";
  EXPECT_EQ(fits[1].fit.n, 6) << "the point that ran out does not count";
  EXPECT_NEAR(fits[3].fit.slope, 1, 1e-9) << "flash";
  EXPECT_NEAR(fits[3].last_slope, 1, 1e-9);

  // T^2/1e5 = 5 + T^2/4e5 at T = 816.
  const auto crossings = crossovers_of(sweep);
  ASSERT_EQ(crossings.size(), 2U);
  EXPECT_EQ(crossings[0].measure, Measure::step_ms);
  EXPECT_EQ(crossings[0].lower_after().label, "flash");
  EXPECT_EQ(crossings[0].crossover.before, 512);
  EXPECT_EQ(crossings[0].crossover.after, 1024);
  EXPECT_NEAR(crossings[0].crossover.at, 816, 40);
  EXPECT_NEAR(crossings[1].crossover.at, 512, 1e-6) << "memory: equal at 512";

  const auto table = homework_table(sweep);
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"T", "naive ms", "flash ms", "naive MiB", "flash MiB"}));
  ASSERT_EQ(table.rows.size(), 7U);
  EXPECT_EQ(table.rows[6][0], "4,096");
  EXPECT_EQ(table.rows[6][1], "OOM");
  EXPECT_EQ(table.rows[6][3], "OOM");
  EXPECT_EQ(table.rows[6][4], "16.00");
  const std::string latex = sweep_latex(sweep, sweep_caption(sweep, "a CPU", "LibTorch 2.11"));
  EXPECT_NE(latex.find("4,096 & OOM & "), std::string::npos) << latex;
  EXPECT_NE(latex.find("d\\_head 64"), std::string::npos) << latex;
  EXPECT_NE(sweep_markdown(sweep, "x").find("flash is faster than naive from T = 1,024"),
            std::string::npos)
      << sweep_markdown(sweep, "x");
  const auto full = full_table(sweep);
  for (const auto& row : full.rows) EXPECT_EQ(row.size(), full.columns.size());
}

TEST(SweepResults, ThroughputSaturates) {
  Sweep sweep(over_t("B=1:16:x2", nullptr));
  run_all(sweep, [](const WorkloadSpec& spec) {
    // Fixed cost of 8 ms: 111, 200, 333, 500, 667 samples a second.
    return testing::made_run(spec, 8 + static_cast<double>(spec.batch), 1000);
  });
  EXPECT_TRUE(saturations_of(sweep).empty()) << "still growing by a third";
  Sweep flat(over_t("B=1:16:x2", nullptr));
  run_all(flat, [](const WorkloadSpec& spec) {
    return testing::made_run(spec, std::max(4.0, static_cast<double>(spec.batch)), 1000);
  });
  const auto knees = saturations_of(flat);
  ASSERT_EQ(knees.size(), 1U);
  EXPECT_EQ(knees[0].saturation.at, 8);
}

TEST(SweepResults, JsonHasWhatIsPromised) {
  Sweep sweep(over_t("T=64:4096:x2"));
  const nlohmann::json empty = to_json(sweep, {{"cpu", "made up"}});
  EXPECT_EQ(empty["points"].size(), 14U);
  EXPECT_EQ(empty["points"][0]["status"], "pending");
  EXPECT_TRUE(empty["points"][0]["step_ms"]["median"].is_null());
  EXPECT_TRUE(empty["fits"].empty());
  run_all(sweep, with_limit(2048));
  const nlohmann::json json = to_json(sweep, {{"cpu", "made up"}});
  const nlohmann::json& first = json["points"][0];
  EXPECT_EQ(first["series"], "naive");
  EXPECT_EQ(first["at"], (nlohmann::json{{"T", 64}}));
  EXPECT_EQ(first["status"], "ok");
  EXPECT_EQ(first["step_ms"]["n"], 10);
  EXPECT_EQ(first["step_ms"]["ci95"].size(), 2U);
  EXPECT_GT(first["tokens_per_s"].get<double>(), 0);
  EXPECT_EQ(first["peak_allocated"], 64 * 64 * 8);
  EXPECT_EQ(first["backend_ran"], "naive");
  EXPECT_TRUE(first["peak_predicted"].is_null());
  const nlohmann::json& last = json["points"][6];
  EXPECT_EQ(last["status"], "oom");
  EXPECT_EQ(last["failure"]["op"], "aten::bmm");
  EXPECT_EQ(json["fits"].size(), 4U);
  EXPECT_EQ(json["fits"][0]["measure"], "step_ms");
  EXPECT_EQ(json["crossovers"][0]["lower_after"], "flash");
  EXPECT_EQ(json["environment"]["cpu"], "made up");
}

}  // namespace
}  // namespace ts::run
