// The figure of a sweep, drawn into a recorder.
#include "views/sweep/sweep_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/sweep/sweep_table.h"
#include "tests/run/made_runs.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/sweep/chart_data.h"
#include "views/sweep/label_space.h"
#include "views/sweep/sweep_view.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

run::Run on_a_roof(run::Run run) {
  run.roof = run::Roof{run.spec.dtype, 2048, 0.2, 15};
  return run;
}

sweep::Sweep made_sweep(const char* axis, const char* series, std::int64_t fits = 1'000'000'000) {
  sweep::SweepSpec spec;
  spec.axes = {*sweep::parse_axis(axis)};
  if (series != nullptr) spec.series = {*sweep::parse_series(series)};
  spec.max_point_s = 1e9;
  sweep::Sweep sweep(spec);
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const spec::WorkloadSpec& one = sweep.points()[*point].spec;
    const bool naive = one.backend == spec::AttentionBackend::naive;
    const auto t = static_cast<double>(one.seq_len * one.batch);
    const auto bytes = static_cast<std::int64_t>(naive ? t * t : 3000 * t);
    sweep.finish(*point, bytes > fits ? run::testing::stopped_run(one, run::Verdict::oom)
                                      : on_a_roof(run::testing::made_run(
                                            one, naive ? t * t / 1e5 : 3 + t * t / 4e5, bytes)));
  }
  return sweep;
}

TEST(StaleSweep, names_the_settings_that_are_not_those_of_now) {
  const text::Texts texts = testing::program_texts();
  sweep::SweepSpec shown;
  shown.axes = {*sweep::parse_axis("T=128,256")};
  shown.series = {*sweep::parse_series("backend=naive,flash")};
  spec::WorkloadSpec now = shown.base;
  EXPECT_EQ(stale_sweep(shown, nullptr, now, texts), "");
  // The varied setting belongs to no point in particular.
  now.seq_len = 4096;
  now.backend = spec::AttentionBackend::flash;
  EXPECT_EQ(stale_sweep(shown, nullptr, now, texts), "");
  now.batch = shown.base.batch + 3;
  EXPECT_EQ(stale_sweep(shown, nullptr, now, texts), "B = " + std::to_string(shown.base.batch));
  // A sweep of the course sets its own: what would be begun is the same.
  EXPECT_EQ(stale_sweep(shown, &shown, now, texts), "");
  sweep::SweepSpec other = shown;
  other.axes = {*sweep::parse_axis("B=1,2")};
  EXPECT_NE(stale_sweep(shown, &other, now, texts), "");
}

class SweepFigureOf : public ::testing::TestWithParam<std::pair<float, float>> {
 protected:
  std::optional<std::size_t> draw(const sweep::Sweep& sweep, Point mouse = {-1, -1}) {
    return hit(sweep, mouse).point;
  }
  SweepHit hit(const sweep::Sweep& sweep, Point mouse = {-1, -1},
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

TEST_P(SweepFigureOf, ASlopeNeedsThreePoints) {
  draw(made_sweep("T=64:128:x2", "backend=naive,math,flash", 4'000'000));
  EXPECT_FALSE(says("T^"));
  draw(made_sweep("T=64:256:x2", "backend=naive,math,flash", 4'000'000));
  EXPECT_TRUE(says("T^"));
}

// Words that a line or a mark goes through; what a plate under the words hides does not count.
std::string struck_text(const RecordingSink& sink) {
  using Kind = RecordingSink::Kind;
  const auto& calls = sink.calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].kind != Kind::text || calls[i].text.empty()) continue;
    const Rect& whole = calls[i].bounds;
    const Rect words{whole.x0 + 1, whole.y0 + 2, whole.x1 - 1, whole.y1 - 2};
    for (std::size_t j = 0; j < calls.size(); ++j) {
      const RecordingSink::Call& other = calls[j];
      const bool small = other.bounds.width() <= 12 && other.bounds.height() <= 12;
      const bool mark = small && (other.kind == Kind::triangle || other.kind == Kind::outline ||
                                  (other.kind == Kind::fill && other.bounds.width() > 4));
      bool hit = mark && other.bounds.x0 < words.x1 && words.x0 < other.bounds.x1 &&
                 other.bounds.y0 < words.y1 && words.y0 < other.bounds.y1;
      const auto& points = other.points;
      for (std::size_t k = 1; k < points.size(); ++k) {
        const Rect clip = other.clip;
        const bool seen = words.y0 < clip.y1 && words.y1 > clip.y0;
        hit = hit || (seen && crosses(points[k - 1], points[k], words));
      }
      const bool hidden = std::any_of(
          calls.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)),
          calls.begin() + static_cast<std::ptrdiff_t>(i), [&](const RecordingSink::Call& plate) {
            return plate.kind == Kind::fill && plate.bounds.x0 <= words.x0 &&
                   plate.bounds.x1 >= words.x1 && plate.bounds.y0 <= words.y0 &&
                   plate.bounds.y1 >= words.y1;
          });
      if (hit && !(j < i && hidden)) return calls[i].text;
    }
  }
  return {};
}

TEST(SweepLabels, NoLineOrMarkGoesThroughWords) {
  const text::Texts texts = testing::program_texts();
  for (const char* series : {"backend=naive,flash", "backend=naive,math,flash,tiled"}) {
    for (const std::int64_t fits : {std::int64_t{1'000'000'000}, std::int64_t{4'000'000}}) {
      const sweep::Sweep sweep = made_sweep("T=64:4096:x2", series, fits);
      for (const SweepChart chart : {SweepChart::time, SweepChart::memory, SweepChart::throughput,
                                     SweepChart::speed_up, SweepChart::fit, SweepChart::roofline}) {
        RecordingSink sink;
        SweepFigure figure{sweep, texts, theme(ThemeKind::dark), {1}};
        figure.only = chart;
        draw_sweep_figure(sink, {0, 0, 720, 460}, figure);
        EXPECT_EQ(struck_text(sink), "") << to_string(chart) << ", " << series << ", " << fits;
      }
    }
  }
}

TEST(SweepLabels, ASeriesIsNamedWhereItsCurveEnds) {
  const text::Texts texts = testing::program_texts();
  // Naive attention alone runs out of memory: its curve ends inside the plot.
  const sweep::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash", 60'000'000);
  RecordingSink sink;
  SweepFigure figure{sweep, texts, theme(ThemeKind::dark), {1}};
  figure.only = SweepChart::throughput;
  draw_sweep_figure(sink, {0, 0, 720, 460}, figure);
  std::optional<Rect> naive, flash;
  for (const RecordingSink::Call& call : sink.calls) {
    if (call.text == "naive") naive = call.bounds;
    if (call.text == "flash") flash = call.bounds;
  }
  ASSERT_TRUE(naive && flash);
  const auto longest =
      std::max_element(sink.calls.begin(), sink.calls.end(), [](const auto& a, const auto& b) {
        const auto length = [](const RecordingSink::Call& call) {
          return call.kind == RecordingSink::Kind::polyline ? call.bounds.width() : 0;
        };
        return length(a) < length(b);
      });
  EXPECT_GT(flash->x0, longest->bounds.x1) << "right of the plot";
  EXPECT_LT(naive->x1, longest->bounds.x1) << "within it";
}

TEST(SweepTable, RowsAreInTheOrderOfTheAxis) {
  const sweep::Sweep sweep = made_sweep("T=64:1024:x2", "backend=naive,flash");
  const std::vector<std::size_t> order = table_order(sweep);
  ASSERT_EQ(order.size(), sweep.points().size());
  EXPECT_NE(order, std::vector<std::size_t>(sweep.order().begin(), sweep.order().end()));
  for (std::size_t i = 1; i < order.size(); ++i) {
    const sweep::SweepPoint& before = sweep.points()[order[i - 1]];
    const sweep::SweepPoint& here = sweep.points()[order[i]];
    EXPECT_TRUE(before.at < here.at || (before.at == here.at && before.series < here.series));
  }
}

TEST(StaleSweep, its_charts_say_so_where_they_are_seen) {
  const text::Texts texts = testing::program_texts();
  const sweep::Sweep sweep = made_sweep("T=128,256,512", "backend=naive,flash");
  SweepFigure figure{sweep, texts, theme(ThemeKind::dark), {1}};
  figure.stale = "B = 8";
  figure.seen = {0, 200, 1200, 700};
  RecordingSink sink;
  draw_sweep_figure(sink, {0, 0, 1200, 1400}, figure);
  const auto plate = std::ranges::find(sink.calls, "Of B = 8", &RecordingSink::Call::text);
  ASSERT_NE(plate, sink.calls.end());
  EXPECT_GE(plate->bounds.y0, figure.seen.y0);
  EXPECT_LE(plate->bounds.y1, figure.seen.y1);
}

TEST_P(SweepFigureOf, DegenerateSweepsDraw) {
  for (const char* axis : {"T=64", "T=64,65", "memory_limit=0,1GiB", "B=1:300:+1"}) {
    const sweep::Sweep sweep = made_sweep(axis, nullptr);
    draw(sweep);
    expect_inside();
  }
  sweep::SweepSpec spec;
  spec.axes = {*sweep::parse_axis("T=64:256:x2"), *sweep::parse_axis("B=1,2")};
  draw(sweep::Sweep(spec));
  expect_inside();
  EXPECT_TRUE(says("Nothing measured yet"));
}

TEST_P(SweepFigureOf, TheMouseFindsAPointAndItsNumbers) {
  const sweep::Sweep sweep = made_sweep("T=64:1024:x2", "backend=naive,flash");
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
  EXPECT_TRUE(says(point_text(sweep, sweep.points()[*point])));
  EXPECT_FALSE(draw(sweep, {1, 1}).has_value());
}

TEST_P(SweepFigureOf, PredictedPartsResidualsAndPublishedPointsAreDrawnInside) {
  sweep::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash", 4'000'000);
  std::vector<std::pair<std::size_t, sweep::PointPrediction>> found;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    sweep::PointPrediction prediction;
    prediction.peak_allocated = std::int64_t{1} << (10 + 4 * sweep.points()[i].at[0] / 1024);
    found.emplace_back(i, prediction);
  }
  sweep.predict(std::move(found));
  sweep::ReferenceSeries published;
  published.name = "Somebody";
  published.hardware = "their card";
  published.match = {{"workload", R"("attention")"}};
  published.step_ms = {{64, 1e-3}, {4096, 1e5}, {1 << 20, 1}};
  const std::vector<sweep::ReferenceSeries> references = {published, published};
  const auto [width, height] = GetParam();
  for (const bool log : {true, false}) {
    sink_ = RecordingSink();
    const SweepFigure figure{sweep, texts_,   theme(ThemeKind::light), {1},
                             "",    {-1, -1}, {log, log, {256, 0}},    references};
    draw_sweep_figure(sink_, {0, 0, width, height}, figure);
    expect_inside();
    EXPECT_TRUE(says("Somebody, their card"));
    for (const float seen : {200.0F, 480.0F, 700.0F, 1400.0F}) {
      const float all = wanted_height(figure, width, seen);
      const auto charts = static_cast<float>(charts_of(sweep, analyse(sweep, {}, {})).size());
      const float columns = width >= 1320 ? 3 : 2;
      const float row = all / std::ceil(charts / columns);
      EXPECT_GE(row, 200);
      // Whole rows are seen: what is left over is less than a pixel for each.
      const float rows_seen = seen / row;
      EXPECT_LT(std::abs(rows_seen - std::round(rows_seen)), 0.05F) << seen;
    }
  }
}

TEST_P(SweepFigureOf, WhatTheDeviceAllowsIsDrawnWithItsUnits) {
  const sweep::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash", 4'000'000);
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

// Rings are the only outlines of that size.
std::size_t rings(const RecordingSink& sink) {
  return static_cast<std::size_t>(std::ranges::count_if(sink.calls, [](const auto& call) {
    return call.kind == RecordingSink::Kind::outline && call.color == theme(ThemeKind::dark).warn;
  }));
}

// Four lengths: those up to `fast` take far less than a roof of 0.2 TFLOP/s and 15 GB/s allows.
sweep::Sweep with_fast_points(std::int64_t fast) {
  sweep::SweepSpec spec;
  spec.axes = {*sweep::parse_axis("T=64:512:x2")};
  spec.max_point_s = 1e9;
  sweep::Sweep sweep(spec);
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const spec::WorkloadSpec& one = sweep.points()[*point].spec;
    const double ms = one.seq_len <= fast ? 1e-3 : 1e4;
    sweep.finish(*point, on_a_roof(run::testing::made_run(one, ms, 1000)));
  }
  return sweep;
}

TEST_P(SweepFigureOf, PointsAboveTheRoofAreRingedWithTheReason) {
  const sweep::Sweep sweep = with_fast_points(128);
  for (const SweepChart chart : {SweepChart::time, SweepChart::roofline}) {
    SCOPED_TRACE(to_string(chart));
    hit(sweep, {-1, -1}, chart);
    expect_inside();
    EXPECT_EQ(rings(sink_), 2U + 1U) << "two points and the sample of the legend";
    EXPECT_TRUE(says("faster than bounds"));
    EXPECT_TRUE(says("measured on a busy machine"));
    EXPECT_EQ(struck_text(sink_), "");
  }
  SweepFigure figure{sweep, texts_, theme(ThemeKind::dark), {1}};
  const auto lines = point_lines(figure, 0);
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("busy machine") != std::string::npos;
  }));
  const auto found = finding_lines(sweep, analyse(sweep, {}, {}), texts_);
  EXPECT_TRUE(std::ranges::any_of(
      found, [](const std::string& line) { return line.starts_with("2 of 4 points: "); }));
  hit(with_fast_points(0), {-1, -1}, SweepChart::roofline);
  EXPECT_EQ(rings(sink_), 0U);
  EXPECT_FALSE(says("faster than bounds"));
}

// A time that was measured has no second one beside it that is scaled from a neighbour.
TEST_P(SweepFigureOf, EstimatedTimesStandOnlyWhereNothingWasMeasured) {
  sweep::Sweep sweep = made_sweep("T=64:1024:x2", nullptr);
  const auto hollow = [&] {
    hit(sweep, {-1, -1}, SweepChart::time);
    const Color color = series_styles(sweep, ThemeKind::dark)[0].color;
    return std::ranges::count_if(sink_.calls, [&](const RecordingSink::Call& call) {
      return call.kind == RecordingSink::Kind::outline && call.color == color;
    });
  };
  EXPECT_EQ(hollow(), 0);
  const io::TextTable measured =
      chart_data(SweepChart::time, sweep, analyse(sweep, {}, {}), texts_);
  const auto column = std::ranges::find(measured.columns, "estimated_from_neighbour_ms");
  ASSERT_NE(column, measured.columns.end());
  const auto at = static_cast<std::size_t>(column - measured.columns.begin());
  for (const auto& row : measured.rows) EXPECT_EQ(row[at], "");
  sweep.forget(4);
  EXPECT_EQ(hollow(), 1);
  EXPECT_TRUE(says("estimated by FLOPs")) << "the title says what is hollow";
  EXPECT_FALSE(says("predicted"));
  const io::TextTable now = chart_data(SweepChart::time, sweep, analyse(sweep, {}, {}), texts_);
  for (std::size_t i = 0; i < now.rows.size(); ++i) EXPECT_EQ(!now.rows[i][at].empty(), i == 4);
  SweepFigure figure{sweep, texts_, theme(ThemeKind::dark), {1}};
  const auto has = [&](std::size_t point) {
    return std::ranges::any_of(point_lines(figure, point), [](const std::string& line) {
      return line.starts_with("Estimated from the nearest measured point");
    });
  };
  EXPECT_TRUE(has(4));
  EXPECT_FALSE(has(3));
}

// Straight lines in logarithms are only bends on linear axes; the words are the same.
TEST_P(SweepFigureOf, EveryAxisIsLinearOrLogarithmic) {
  const sweep::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash");
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

// The button of a chart's menu lies in the upper right corner of it.
TEST_P(SweepFigureOf, NoNameOfASeriesLiesUnderTheMenu) {
  const sweep::Sweep sweep = made_sweep("T=64:4096:x2", "backend=naive,flash");
  const SweepAnalysis analysis = analyse(sweep, {}, {});
  const auto [width, height] = GetParam();
  for (const SweepChart chart : {SweepChart::roofline, SweepChart::speed_up}) {
    sink_ = RecordingSink();
    SweepFigure figure{sweep, texts_, theme(ThemeKind::light), {1}, "", {-1, -1}, {}};
    figure.only = chart;
    draw_sweep_figure(sink_, {0, 0, width, height}, figure);
    for (const RecordingSink::Call& call : sink_.calls) {
      const bool name = call.kind == RecordingSink::Kind::text && call.bounds.y1 <= 34;
      EXPECT_TRUE(!name || call.bounds.y0 > 34 || call.bounds.x1 <= width - 32) << call.text;
    }
  }
}

TEST_P(SweepFigureOf, EveryChartStandsAloneAndHasItsNumbers) {
  const sweep::Sweep sweep = made_sweep("B=1:16:x2", "backend=naive,flash");
  const SweepAnalysis analysis = analyse(sweep, {}, {});
  const auto charts = charts_of(sweep, analysis);
  EXPECT_EQ(charts.size(), static_cast<std::size_t>(kSweepChartCount));
  const sweep::Sweep unmeasured(sweep.spec());
  EXPECT_EQ(charts_of(unmeasured, analyse(unmeasured, {}, {})),
            (std::vector{SweepChart::memory, SweepChart::findings}));
  const sweep::Sweep cold = made_sweep("warmups=0,1,5", "backend=naive,flash");
  for (const SweepChart chart : charts_of(cold, analyse(cold, {}, {})))
    EXPECT_TRUE(chart != SweepChart::fit && chart != SweepChart::speed_up) << "of means";
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
    // Some point has a number in each column, but the optimizer that this pass lacks, percentiles
    // that ten steps do not tell, and estimates of what was measured.
    for (std::size_t column = 3; column < table.columns.size(); ++column) {
      const std::string& name = table.columns[column];
      if (name == "optimizer_ms" || name == "peak_allocated_predicted_bytes" || name == "p99_ms" ||
          name == "estimated_from_neighbour_ms")
        continue;
      EXPECT_TRUE(std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
        return !row[column].empty();
      })) << name;
    }
  }
}

TEST_P(SweepFigureOf, TheAnalysisIsMadeAnewOnlyWhenThePointsChange) {
  sweep::Sweep sweep = made_sweep("T=64:512:x2", "backend=naive,flash");
  SweepAnalysisCache cache;
  const auto first = cache.of(sweep, {}, {});
  EXPECT_EQ(cache.of(sweep, {}, {}), first);
  EXPECT_NE(cache.of(sweep, {128, 0}, {}), first);
  const auto second = cache.of(sweep, {}, {});
  sweep.rerun(0);
  EXPECT_NE(cache.of(sweep, {}, {}), second);
}

TEST_P(SweepFigureOf, OverBatchesTheKneeIsMarked) {
  sweep::SweepSpec spec;
  spec.axes = {*sweep::parse_axis("B=1:16:x2")};
  sweep::Sweep sweep(spec);
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const spec::WorkloadSpec& one = sweep.points()[*point].spec;
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
