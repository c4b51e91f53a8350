// The figure of a sweep, drawn into a recorder.
#include "views/sweep/sweep_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/run/made_runs.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/sweep/chart_data.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

run::Run on_a_roof(run::Run run) {
  run.roof = run::Roof{run.spec.dtype, 2048, 0.2, 15};
  return run;
}

run::Sweep made_sweep(const char* axis, const char* series, std::int64_t fits = 1'000'000'000) {
  run::SweepSpec spec;
  spec.axes = {*run::parse_axis(axis)};
  if (series != nullptr) spec.series = {*run::parse_series(series)};
  spec.max_point_s = 1e9;
  run::Sweep sweep(spec);
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const run::WorkloadSpec& one = sweep.points()[*point].spec;
    const bool naive = one.backend == run::AttentionBackend::naive;
    const auto t = static_cast<double>(one.seq_len * one.batch);
    const auto bytes = static_cast<std::int64_t>(naive ? t * t : 3000 * t);
    sweep.finish(*point, bytes > fits ? run::testing::stopped_run(one, run::Verdict::oom)
                                      : on_a_roof(run::testing::made_run(
                                            one, naive ? t * t / 1e5 : 3 + t * t / 4e5, bytes)));
  }
  return sweep;
}

class SweepFigureOf : public ::testing::TestWithParam<std::pair<float, float>> {
 protected:
  std::optional<std::size_t> draw(const run::Sweep& sweep, Point mouse = {-1, -1}) {
    return hit(sweep, mouse).point;
  }
  SweepHit hit(const run::Sweep& sweep, Point mouse = {-1, -1},
               std::optional<SweepChart> only = std::nullopt) {
    const auto [width, height] = GetParam();
    sink_ = RecordingSink();
    SweepFigure figure{sweep, texts_, theme(ThemeKind::dark), {1}, "A caption that says it", mouse};
    figure.only = only;
    return draw_sweep_figure(sink_, {0, 0, width, height}, figure);
  }
  [[nodiscard]] bool says(const std::string& words) const {
    return std::any_of(sink_.calls.begin(), sink_.calls.end(),
                       [&](const RecordingSink::Call& call) {
                         return call.text.find(words) != std::string::npos;
                       });
  }
  void expect_inside() const {
    const auto [width, height] = GetParam();
    for (const RecordingSink::Call& call : sink_.calls) {
      const Rect seen = call.seen();
      const bool clipped_away = call.bounds.x0 > call.clip.x1 || call.bounds.x1 < call.clip.x0 ||
                                call.bounds.y0 > call.clip.y1 || call.bounds.y1 < call.clip.y0;
      if (clipped_away) continue;
      EXPECT_GE(seen.x0, -1) << call.text;
      EXPECT_GE(seen.y0, -1) << call.text;
      EXPECT_LE(seen.x1, width + 1) << call.text;
      EXPECT_LE(seen.y1, height + 1) << call.text;
    }
  }

  text::Texts texts_ = testing::program_texts();
  RecordingSink sink_;
};

TEST_P(SweepFigureOf, KeepsInsideItsArea) {
  draw(made_sweep("T=64:4096:x2", "backend=naive,math,flash", 4'000'000));
  expect_inside();
  EXPECT_TRUE(says("Step time"));
  EXPECT_TRUE(says("Peak memory"));
  EXPECT_TRUE(says("naive OOM, aten::bmm"));
  EXPECT_TRUE(says("T^"));
  EXPECT_TRUE(says("A caption"));
  EXPECT_LT(sink_.calls.size(), 4000U) << "what is drawn is bounded";
}

TEST_P(SweepFigureOf, DegenerateSweepsDraw) {
  for (const char* axis : {"T=64", "T=64,65", "memory_limit=0,1GiB", "B=1:300:+1"}) {
    const run::Sweep sweep = made_sweep(axis, nullptr);
    draw(sweep);
    expect_inside();
  }
  run::SweepSpec spec;
  spec.axes = {*run::parse_axis("T=64:256:x2"), *run::parse_axis("B=1,2")};
  draw(run::Sweep(spec));
  expect_inside();
  EXPECT_TRUE(says("Nothing measured yet"));
}

TEST_P(SweepFigureOf, TheMouseFindsAPointAndItsNumbers) {
  const run::Sweep sweep = made_sweep("T=64:1024:x2", "backend=naive,flash");
  draw(sweep);
  // A mark of the first panel: small filled squares of the mark's size.
  std::optional<Point> mark;
  for (const RecordingSink::Call& call : sink_.calls) {
    if (call.kind == RecordingSink::Kind::fill && call.bounds.width() == 8 &&
        call.bounds.height() == 8) {
      mark = {(call.bounds.x0 + call.bounds.x1) / 2, (call.bounds.y0 + call.bounds.y1) / 2};
      break;
    }
  }
  ASSERT_TRUE(mark.has_value());
  const auto point = draw(sweep, *mark);
  ASSERT_TRUE(point.has_value());
  EXPECT_TRUE(says("n = 10"));
  EXPECT_TRUE(says(place_words(sweep, *point)));
  EXPECT_FALSE(draw(sweep, {1, 1}).has_value());
}

TEST_P(SweepFigureOf, PredictedPartsResidualsAndPublishedPointsAreDrawnInside) {
  run::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash", 4'000'000);
  std::vector<std::pair<std::size_t, run::PointPrediction>> found;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    run::PointPrediction prediction;
    prediction.peak_allocated = std::int64_t{1} << (10 + 4 * sweep.points()[i].at[0] / 1024);
    found.emplace_back(i, prediction);
  }
  sweep.predict(std::move(found));
  run::ReferenceSeries published;
  published.name = "Somebody";
  published.hardware = "their card";
  published.match = {{"workload", R"("attention")"}};
  published.step_ms = {{64, 1e-3}, {4096, 1e5}, {1 << 20, 1}};
  const std::vector<run::ReferenceSeries> references = {published, published};
  const auto [width, height] = GetParam();
  for (const bool log : {true, false}) {
    sink_ = RecordingSink();
    const SweepFigure figure{sweep, texts_,   theme(ThemeKind::light), {1},
                             "",    {-1, -1}, {log, log, {256, 0}},    references};
    draw_sweep_figure(sink_, {0, 0, width, height}, figure);
    expect_inside();
    EXPECT_TRUE(says("Somebody, their card"));
    EXPECT_GE(wanted_height(figure, width), 500);
  }
}

TEST_P(SweepFigureOf, WhatTheDeviceAllowsIsDrawnWithItsUnits) {
  const run::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash", 4'000'000);
  hit(sweep, {-1, -1}, SweepChart::time);
  expect_inside();
  EXPECT_TRUE(says("FLOPs at 200")) << "GFLOP/s of the roof";
  EXPECT_TRUE(says("traffic at 15"));
  hit(sweep, {-1, -1}, SweepChart::roofline);
  expect_inside();
  EXPECT_TRUE(says("GFLOP/s")) << "0.2 TFLOP/s in the unit of the roof";
  EXPECT_TRUE(says("FLOP/byte"));
  EXPECT_TRUE(says("ridge 13")) << "0.2 TFLOP/s over 15 GB/s";
  EXPECT_TRUE(says("naive"));
  EXPECT_TRUE(says("product in fp32"));
}

// Of straight lines in logarithms nothing but bends is left on linear axes; all the same is said.
TEST_P(SweepFigureOf, EveryAxisIsLinearOrLogarithmic) {
  const run::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash");
  const SweepAnalysis analysis = analyse(sweep, {}, {});
  const auto [width, height] = GetParam();
  for (const SweepChart chart : {SweepChart::fit, SweepChart::roofline, SweepChart::speed_up}) {
    std::set<std::string> drawn;
    for (const bool log_x : {true, false}) {
      for (const bool log_y : {true, false}) {
        SCOPED_TRACE(to_string(chart) + std::string(log_x ? " log" : " linear") +
                     (log_y ? " log" : " linear"));
        sink_ = RecordingSink();
        SweepFigure figure{sweep, texts_,   theme(ThemeKind::light), {1},
                           "",    {-1, -1}, {log_x, log_y, {}}};
        figure.only = chart;
        draw_sweep_figure(sink_, {0, 0, width, height}, figure);
        expect_inside();
        std::string numbers;
        for (const RecordingSink::Call& call : sink_.calls) {
          if (call.kind == RecordingSink::Kind::text) numbers += call.text + "|";
        }
        drawn.insert(numbers);
        if (chart == SweepChart::fit) {
          EXPECT_TRUE(says("O(T)")) << numbers;
          EXPECT_TRUE(says("T^"));
        }
        EXPECT_TRUE(chart != SweepChart::roofline || says("ridge 13"));
      }
    }
    // The ticks are others; those of the bars have no scale along x.
    EXPECT_GE(drawn.size(), chart == SweepChart::speed_up ? 2U : 4U);
  }
}

TEST_P(SweepFigureOf, EveryChartStandsAloneAndHasItsNumbers) {
  const run::Sweep sweep = made_sweep("B=1:16:x2", "backend=naive,flash");
  const SweepAnalysis analysis = analyse(sweep, {}, {});
  const auto charts = charts_of(sweep, analysis);
  EXPECT_EQ(charts.size(), static_cast<std::size_t>(kSweepChartCount));
  const run::Sweep unmeasured(sweep.spec());
  EXPECT_EQ(charts_of(unmeasured, analyse(unmeasured, {}, {})),
            (std::vector{SweepChart::memory, SweepChart::findings}));
  const auto [width, height] = GetParam();
  for (const SweepChart chart : charts) {
    SCOPED_TRACE(to_string(chart));
    const SweepHit at = hit(sweep, {width / 2, 10}, chart);
    expect_inside();
    EXPECT_EQ(at.chart, chart);
    const io::TextTable table = chart_data(chart, sweep, analysis, texts_);
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
    if (chart == SweepChart::findings) continue;
    EXPECT_EQ(table.rows.size(), sweep.points().size());
    // Some point has a number in each column, but the optimizer that this pass lacks, and
    // percentiles that ten steps do not tell.
    for (std::size_t column = 3; column < table.columns.size(); ++column) {
      const std::string& name = table.columns[column];
      if (name == "optimizer_ms" || name == "peak_predicted_bytes" || name == "p99_ms") continue;
      EXPECT_TRUE(std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
        return !row[column].empty();
      })) << name;
    }
  }
}

TEST_P(SweepFigureOf, TheAnalysisIsMadeAnewOnlyWhenThePointsChange) {
  run::Sweep sweep = made_sweep("T=64:512:x2", "backend=naive,flash");
  SweepAnalysisCache cache;
  const auto first = cache.of(sweep, {}, {});
  EXPECT_EQ(cache.of(sweep, {}, {}), first);
  EXPECT_NE(cache.of(sweep, {128, 0}, {}), first);
  const auto second = cache.of(sweep, {}, {});
  sweep.rerun(0);
  EXPECT_NE(cache.of(sweep, {}, {}), second);
}

TEST_P(SweepFigureOf, OverBatchesTheKneeIsMarked) {
  run::SweepSpec spec;
  spec.axes = {*run::parse_axis("B=1:16:x2")};
  run::Sweep sweep(spec);
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const run::WorkloadSpec& one = sweep.points()[*point].spec;
    sweep.finish(*point,
                 run::testing::made_run(one, std::max(4.0, static_cast<double>(one.batch)), 1000));
  }
  draw(sweep);
  expect_inside();
  EXPECT_TRUE(says("saturates at 8"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, SweepFigureOf,
                         ::testing::Values(std::pair{1920.0F, 1080.0F}, std::pair{1280.0F, 720.0F},
                                           std::pair{960.0F, 500.0F}));

}  // namespace
}  // namespace ts::views
