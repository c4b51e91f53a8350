// The conclusions from all points of a sweep.
#include "core/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_json.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_table.h"
#include "core/text/numbers.h"
#include "tests/sweep/made_sweeps.h"

namespace ts::sweep {
namespace {

using namespace testing;

TEST(SweepResults, PredictedCurvesGoBeyondTheEdgeAndAreComparedWithMeasuredPeaks) {
  Sweep sweep(over_t("T=64:4096:x2"));
  EXPECT_EQ(prediction_error(sweep).n, 0);
  const Behaviour a_tenth_more = [](const spec::WorkloadSpec& spec) {
    const auto run = as_theory(spec);
    return run::testing::made_run(spec, 1, run.memory.peak_bytes() / 10 * 11);
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
  EXPECT_EQ(table.columns[1], "naive MiB allocated, predicted");
  EXPECT_NE(table.rows[2][1].find(" OOM"), std::string::npos) << table.rows[2][1];
}

TEST(SweepResults, BeforeTheBackwardIsAColumnOfItsOwn) {
  Sweep sweep(over_t("T=64:128:x2", "backend=naive"));
  PointPrediction prediction;
  prediction.peak_allocated = 3 << 20;
  prediction.before_backward = 2 << 20;
  sweep.predict({{0, prediction}, {1, prediction}});
  auto table = homework_table(sweep);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"T", "naive MiB allocated, predicted",
                                                     "naive MiB before backward, predicted"}));
  EXPECT_EQ(table.rows[0][2], "2.000");
  run_all(sweep, [](const spec::WorkloadSpec& spec) {
    run::Run run = as_theory(spec);
    run::BatchUpdate batch;
    batch.id = run.id;
    memory::Record record;
    record.action = memory::Action::phase_begin;
    record.phase = base::Phase::backward;
    batch.batch.memory.push_back(record);
    run.apply(std::move(batch));
    return run;
  });
  table = homework_table(sweep);
  ASSERT_EQ(table.columns.back(), "naive MiB before backward");
  EXPECT_EQ(table.rows[1].back(), "0.125");  // 128^2 x 8 bytes
  const auto columns = full_table(sweep).columns;
  EXPECT_NE(std::ranges::find(columns, "before_backward_bytes"), columns.end());
}

TEST(SweepResults, OnePlaceIsATableOfSeries) {
  SweepSpec spec = over_t("T=64", "preset=small,medium");
  spec.base.workload = spec::WorkloadKind::lm;
  ASSERT_TRUE(check(spec).has_value()) << check(spec).error().sentence;
  Sweep sweep(spec);
  EXPECT_EQ(sweep.points()[1].spec.d_model, 1024) << "the shape of medium";
  EXPECT_EQ(sweep.points()[1].spec.seq_len, 64);
  run_all(sweep, as_theory);
  const auto table = homework_table(sweep);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1][0], "medium");
  EXPECT_EQ(table.columns[3], "parameters");
  EXPECT_EQ(table.columns[4], "forward mean ms");
  EXPECT_EQ(table.columns[5], "forward std ms");
  EXPECT_EQ(table.columns[8], "optimizer mean ms");
}

// The courses ask for both passes of every cell, and for the mean and its spread.
TEST(SweepResults, TablesHaveBothPassesWhereBothRan) {
  Sweep sweep(over_t("T=64,128", "backend=naive"));
  run_all(sweep, [](const spec::WorkloadSpec& spec) {
    run::Run run = as_theory(spec);
    for (run::StepTimes& step : run.timed_steps) {
      step.forward_ns = step.total_ns / 4;
      step.backward_ns = step.total_ns / 2;
      step.optimizer_ns = step.total_ns / 8;
    }
    return run;
  });
  const auto table = homework_table(sweep);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"T", "naive ms", "naive forward ms",
                                                     "naive backward ms", "naive optimizer ms",
                                                     "naive tokens/s", "naive MiB allocated"}));
  const PointMeasurement& m = sweep.points()[0].measurement;
  EXPECT_NEAR(std::stod(table.rows[0][2]), m.step.median_ms / 4, 0.01 * m.step.median_ms);
  EXPECT_NEAR(std::stod(table.rows[0][3]), m.step.median_ms / 2, 0.01 * m.step.median_ms);
  const auto full = full_table(sweep);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(full.columns, name) - full.columns.begin());
  };
  ASSERT_LT(column("step_ms_std"), full.columns.size());
  EXPECT_NEAR(std::stod(full.rows[0][column("step_ms_mean")]), m.step.mean_ms, 1e-3);
  EXPECT_NEAR(std::stod(full.rows[0][column("forward_ms_mean")]), m.step.mean_ms / 4, 1e-3);
  EXPECT_NEAR(std::stod(full.rows[0][column("optimizer_ms_std")]), m.step.std_ms / 8, 1e-3);
  // As a journal keeps it.
  const PointMeasurement read = measurement_from_json(to_json(sweep, sweep.points()[0]));
  EXPECT_NEAR(read.backward.mean_ms, m.step.mean_ms / 2, 1e-3);
  EXPECT_EQ(read.optimizer.std_ms, m.optimizer.std_ms);
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
  EXPECT_EQ(table.columns, (std::vector<std::string>{
                               "T", "naive ms", "flash ms", "naive forward ms", "flash forward ms",
                               "naive backward ms", "flash backward ms", "naive tokens/s",
                               "flash tokens/s", "naive MiB allocated", "flash MiB allocated"}));
  ASSERT_EQ(table.rows.size(), 7U);
  EXPECT_EQ(table.rows[6][0], "4,096");
  for (const std::size_t naive : {1, 3, 5, 7, 9}) EXPECT_EQ(table.rows[6][naive], "OOM");
  EXPECT_EQ(table.rows[6][10], "16.00");
  const std::string latex = sweep_latex(sweep, sweep_caption(sweep, "a CPU", "LibTorch 2.11"));
  EXPECT_NE(latex.find("4,096 & OOM & "), std::string::npos) << latex;
  // Why it did not run stands below the table.
  const auto reasons = reasons_of(sweep);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_TRUE(reasons[0].sentence.starts_with("naive, T = 4,096: OOM. ")) << reasons[0].sentence;
  EXPECT_GT(reasons[0].sentence.size(), std::string("naive, T = 4,096: OOM. ").size());
  EXPECT_NE(latex.find(io::latex_escaped(reasons[0].sentence)), std::string::npos) << latex;
  EXPECT_NE(sweep_markdown(sweep, "x").find("- " + reasons[0].sentence), std::string::npos);
  EXPECT_NE(latex.find("d\\_head 64"), std::string::npos) << latex;
  EXPECT_NE(sweep_markdown(sweep, "x").find("flash is faster than naive from T = 1,024"),
            std::string::npos)
      << sweep_markdown(sweep, "x");
  const auto full = full_table(sweep);
  for (const auto& row : full.rows) EXPECT_EQ(row.size(), full.columns.size());
}

// A2-6: the first steps move the mean and the standard deviation, which a median hides.
TEST(SweepResults, AStudyOfWarmUpShowsMeansAndNoPowerLaw) {
  Sweep sweep(over_t("warmups=0,1,5", "backend=naive"));
  run_all(sweep, [](const spec::WorkloadSpec& spec) {
    run::Run run = run::testing::made_run(spec, 10, 1 << 20);
    run::StepTimes first;
    first.total_ns = 100'000'000;
    if (spec.warmups == spec::Warmups::none) {
      run.apply(run::SampleUpdate{1, first, run::SampleUpdate::Kind::timed});
    }
    return run;
  });
  const auto& cold = sweep.points()[0].measurement.step;
  EXPECT_GT(cold.mean_ms, cold.median_ms);
  const stats::CurvePoint shown = value_of(sweep, 0, Measure::step_ms);
  EXPECT_DOUBLE_EQ(shown.y, cold.mean_ms);
  EXPECT_DOUBLE_EQ(shown.high, cold.mean_ms + cold.std_ms);
  EXPECT_GT(shown.low, 0);
  EXPECT_TRUE(fits_of(sweep).empty());
  const auto said = findings(sweep);
  ASSERT_FALSE(said.empty());
  EXPECT_TRUE(said.front().sentence.starts_with(
      "naive, mean \xc2\xb1 std in ms by warm-ups: 0: " + text::decimal(cold.mean_ms, 2) +
      " \xc2\xb1 " + text::decimal(cold.std_ms, 2) + ", 1: "))
      << said.front().sentence;
  for (const base::Message& one : said)
    EXPECT_EQ(one.sentence.find("grows as"), std::string::npos) << one.sentence;
  EXPECT_NE(sweep_caption(sweep, "a CPU", "x").find("one standard deviation"), std::string::npos);
}

TEST(SweepResults, ARangeWithoutPointsIsSaid) {
  Sweep sweep(over_t("T=64:256:x2"));
  run_all(sweep, as_theory);
  EXPECT_EQ(findings(sweep, {1000, 2000}).front().sentence,
            "No slopes: fewer than two points have T between 1,000 and 2,000");
  EXPECT_NE(findings(sweep, {}).front().sentence.find("grows as"), std::string::npos);
}

TEST(SweepResults, TheCaptionClaimsNoMeasurementWhereNothingWasRun) {
  Sweep sweep(over_t("T=64:256:x2"));
  EXPECT_NE(sweep_caption(sweep, "a CPU", "v").find("nothing was run"), std::string::npos);
  run_all(sweep, as_theory);
  EXPECT_NE(sweep_caption(sweep, "a CPU", "v").find("Median of"), std::string::npos);
}

TEST(SweepResults, AFewStepsDecideNoCrossoverOfTimes) {
  Sweep sweep(over_t("T=64:4096:x2"));
  run_all(sweep, [](const spec::WorkloadSpec& spec) {
    const auto t = static_cast<double>(spec.seq_len);
    const bool naive = spec.backend == spec::AttentionBackend::naive;
    return run::testing::made_run(spec, naive ? t * t / 1e5 : 5 + t * t / 4e5, 1000, 5);
  });
  EXPECT_TRUE(crossovers_of(sweep).empty()) << "five steps have no interval";
}

TEST(SweepResults, ThroughputSaturates) {
  Sweep sweep(over_t("B=1:16:x2", nullptr));
  run_all(sweep, [](const spec::WorkloadSpec& spec) {
    // Fixed cost of 8 ms: 111, 200, 333, 500, 667 samples a second.
    return run::testing::made_run(spec, 8 + static_cast<double>(spec.batch), 1000);
  });
  EXPECT_TRUE(saturations_of(sweep).empty()) << "still growing by a third";
  Sweep flat(over_t("B=1:16:x2", nullptr));
  run_all(flat, [](const spec::WorkloadSpec& spec) {
    return run::testing::made_run(spec, std::max(4.0, static_cast<double>(spec.batch)), 1000);
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
}  // namespace ts::sweep
