// The limits of the device, beside made up runs.
#include "core/sweep/sweep_theory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_json.h"
#include "core/sweep/sweep_table.h"
#include "tests/sweep/made_sweeps.h"

namespace ts::sweep {
namespace {

using namespace testing;

run::Run on_a_roof(const spec::WorkloadSpec& spec) {
  run::Run run = run::testing::made_run(spec, 10, 1000);
  run.roof = run::Roof{spec.dtype, 2048, 0.5, 20};
  return run;
}

TEST(SweepTheory, TimesFollowFromTheRoofsOfTheDevice) {
  Sweep sweep(over_t("T=256:1024:x2"));
  run_all(sweep, on_a_roof);
  const auto theories = theories_of(sweep);
  ASSERT_EQ(theories.size(), sweep.points().size());
  for (std::size_t i = 0; i < theories.size(); ++i) {
    ASSERT_TRUE(theories[i]);
    const spec::WorkloadSpec& spec = sweep.points()[i].spec;
    EXPECT_DOUBLE_EQ(theories[i]->compute_ms,
                     spec::step_flops(spec, spec.backend).total() / 0.5e12 * 1e3);
    EXPECT_DOUBLE_EQ(theories[i]->memory_ms, spec::step_traffic(spec, spec.backend) / 20e9 * 1e3);
    EXPECT_EQ(theory_of(sweep, i)->compute_ms, theories[i]->compute_ms);
  }
  ASSERT_EQ(roofs_of(theories).size(), 1U);
  EXPECT_TRUE(report::are_measured(roofs_of(theories)[0]));
}

TEST(SweepTheory, PointsThatWereNotRunTakeTheRoofOfTheirDeviceAndType) {
  SweepSpec spec = over_t("T=256:1024:x2", "dtype=fp32,bf16");
  Sweep sweep(spec);
  EXPECT_FALSE(theory_of(sweep, 0)) << "no run has told a roof yet";
  const auto first = sweep.next();
  ASSERT_TRUE(first);
  sweep.start(*first);
  sweep.finish(*first, on_a_roof(sweep.points()[*first].spec));
  const std::size_t measured = sweep.points()[*first].series;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    EXPECT_EQ(theory_of(sweep, i).has_value(), sweep.points()[i].series == measured) << i;
  }
}

TEST(SweepTheory, OfACardThatIsNotThereByItsPredictionAndKeptInJson) {
  Sweep sweep(over_t("T=256:512:x2", nullptr));
  spec::Gpu card;
  card.name = "Some card";
  card.fp32_tflops = 10;
  card.bandwidth_gb_s = 500;
  PointPrediction prediction;
  prediction.peak_allocated = 100;
  prediction.roofs = report::roofs_of_card(card, spec::DataType::fp32);
  EXPECT_FALSE(report::are_measured(prediction.roofs));
  sweep.predict({{0, prediction}});
  ASSERT_TRUE(theory_of(sweep, 0));
  EXPECT_EQ(theory_of(sweep, 0)->roofs.tflops, 10);
  EXPECT_EQ(prediction_from_json(to_json(sweep, sweep.points()[0])).roofs, prediction.roofs);
  const nlohmann::json whole = to_json(sweep, nlohmann::json::object());
  EXPECT_EQ(whole["points"][0]["theory"]["bandwidth_gb_s"], 500);
  EXPECT_TRUE(whole["points"][1]["theory"].is_null());
  // A type that the card has no units for: only its memory says something.
  EXPECT_EQ(report::roofs_of_card(card, spec::DataType::bf16).tflops, 0);
}

TEST(SweepTheory, MeasuredRoofsSurviveTheJournal) {
  Sweep sweep(over_t("T=256:512:x2", nullptr));
  run_all(sweep, on_a_roof);
  const PointMeasurement& known = sweep.points()[0].measurement;
  nlohmann::json written = to_json(sweep, sweep.points()[0]);
  const report::Roofs read = measurement_from_json(written).roofs;
  EXPECT_EQ(read, known.roofs);
  EXPECT_EQ(read.source, known.roofs.source) << "with its key";
  EXPECT_FALSE(read.source.key.empty());
  // Earlier versions wrote the sentence alone.
  written["roofs"].erase("source_text");
  const report::Roofs earlier = measurement_from_json(written).roofs;
  EXPECT_EQ(earlier, known.roofs);
  EXPECT_TRUE(earlier.source.key.empty());
  EXPECT_TRUE(report::are_measured(earlier));
  written.erase("roofs");
  EXPECT_FALSE(measurement_from_json(written).roofs.known());
}

TEST(Sweep, EstimatedTimesComeFromAnotherPointOfTheSeries) {
  Sweep sweep(over_t("T=256:1024:x2"));
  EXPECT_LT(sweep.estimated_step_ms(0), 0);
  const std::uint64_t before = sweep.version();
  const auto first = sweep.next();
  sweep.start(*first);
  sweep.finish(*first, as_theory(sweep.points()[*first].spec));
  EXPECT_GT(sweep.version(), before);
  EXPECT_LT(sweep.estimated_step_ms(*first), 0) << "never from itself";
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    if (i == *first) continue;
    const bool same = sweep.points()[i].series == sweep.points()[*first].series;
    EXPECT_EQ(sweep.estimated_step_ms(i) > 0, same);
    if (!same) continue;
    const double flops =
        spec::step_flops(sweep.points()[i].spec, sweep.points()[i].spec.backend).total() /
        spec::step_flops(sweep.points()[*first].spec, sweep.points()[*first].spec.backend).total();
    EXPECT_NEAR(sweep.estimated_step_ms(i),
                sweep.points()[*first].measurement.step.median_ms * flops, 1e-6 * flops);
  }
}

std::size_t column_of(const io::TextTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name);
  EXPECT_NE(found, table.columns.end()) << name;
  return static_cast<std::size_t>(found - table.columns.begin());
}

TEST(Sweep, OnlyAPointThatWasNotTimedAndCanRunHasAnEstimate) {
  Sweep sweep(over_t("T=256:4096:x2"));
  run_all(sweep, with_limit(1024));
  const auto pending = *sweep.find(sweep.points()[6].spec);
  sweep.forget(pending);
  const io::TextTable table = full_table(sweep);
  const std::size_t column = column_of(table, "step_ms_estimated_from_neighbour");
  const nlohmann::json json = to_json(sweep, nlohmann::json::object());
  EXPECT_GT(sweep.count(PointStatus::oom), 0U);
  EXPECT_EQ(sweep.count(PointStatus::pending), 1U);
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const bool estimated = sweep.points()[i].status == PointStatus::pending;
    EXPECT_EQ(sweep.estimated_step_ms(i) > 0, estimated) << i;
    EXPECT_EQ(!table.rows[i][column].empty(), estimated) << i;
    EXPECT_EQ(!json["points"][i]["step_ms_estimated_from_neighbour"].is_null(), estimated) << i;
  }
  // A time scaled from a neighbour is called a prediction nowhere.
  EXPECT_EQ(json.dump().find("step_ms_predicted"), std::string::npos);
  EXPECT_EQ(sweep_markdown(sweep, "").find("step_ms_predicted"), std::string::npos);
}

TEST(SweepTheory, PointsThatAreFasterThanTheirBoundsSayWhy) {
  // 1 ms at T = 256 is far below what a roof of 0.1 GFLOP/s allows, and so is the traffic.
  const auto on = [](double tflops, double gb_s) {
    return [=](const spec::WorkloadSpec& spec) {
      run::Run run = run::testing::made_run(spec, 1, 1000);
      run.roof = run::Roof{spec.dtype, 2048, tflops, gb_s};
      return run;
    };
  };
  const auto whys = [](const Sweep& sweep) {
    std::vector<std::string> all;
    for (const BeatenBound& one : beaten_bounds(sweep, theories_of(sweep)))
      all.push_back(one.why.key + " " + std::to_string(one.points));
    return all;
  };
  using Words = std::vector<std::string>;
  Sweep sweep(over_t("T=256:512:x2"));
  run_all(sweep, on(1e-6, 1e9));
  EXPECT_EQ(whys(sweep), Words{"sweep.beaten.product 4"});
  const io::TextTable table = full_table(sweep);
  EXPECT_NE(table.rows[0][column_of(table, "faster_than_bound")].find("busy machine"),
            std::string::npos);
  EXPECT_NE(to_json(sweep, nlohmann::json::object())["points"][0]["faster_than_bound"]
                .get<std::string>()
                .find("busy machine"),
            std::string::npos);
  const auto said = findings(sweep);
  EXPECT_TRUE(std::ranges::any_of(said, [](const base::Message& one) {
    return one.sentence.starts_with("4 of 4 points: Faster than its FLOPs allow");
  }));
  Sweep cached(over_t("T=256:512:x2"));
  run_all(cached, on(1e9, 1e-6));
  EXPECT_EQ(whys(cached), Words{"sweep.beaten.copy 4"});
  Sweep slower(over_t("T=256:512:x2"));
  run_all(slower, on(1e9, 1e9));
  EXPECT_EQ(whys(slower), Words{});
}

}  // namespace
}  // namespace ts::sweep
