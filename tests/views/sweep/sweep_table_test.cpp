// The words of the table and the strip over it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/run/made_runs.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"
#include "views/sweep/sweep_view.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

sweep::SweepSpec spec_of(const char* axis, const char* series) {
  sweep::SweepSpec spec;
  spec.axes = {*sweep::parse_axis(axis)};
  if (series != nullptr) spec.series = {*sweep::parse_series(series)};
  spec.max_point_s = 1e9;
  return spec;
}

// A step of every point takes what `ms_of` says.
sweep::Sweep measured(const sweep::SweepSpec& spec, double (*ms_of)(const spec::WorkloadSpec&)) {
  sweep::Sweep sweep(spec);
  while (const auto point = sweep.next()) {
    sweep.start(*point);
    const spec::WorkloadSpec& one = sweep.points()[*point].spec;
    sweep.finish(*point, run::testing::made_run(one, ms_of(one), one.seq_len * 1000));
  }
  return sweep;
}

std::ptrdiff_t digits_of(const std::string& number) {
  const auto first = number.find_first_of("123456789");
  if (first == std::string::npos) return 0;
  return std::ranges::count_if(number.substr(first), [](char c) { return c >= '0' && c <= '9'; });
}

TEST(SweepTable, NumbersOfAColumnHaveOneUnitAndThreeDigits) {
  const text::Texts texts = testing::program_texts();
  // From 17 ms to 4.4 s: in seconds all of them.
  const sweep::Sweep sweep =
      measured(spec_of("T=64:1024:x2", nullptr), [](const spec::WorkloadSpec& one) {
        return 17.0 * static_cast<double>(one.seq_len * one.seq_len) / 4096;
      });
  const auto words = table_text(sweep, texts);
  ASSERT_EQ(words.size(), sweep.points().size() + 1);
  EXPECT_EQ(words[0][2], "Median, s");
  EXPECT_EQ(words[1][2], "0.0170");
  EXPECT_EQ(words[0][4], "Throughput, k tokens/s");
  for (std::size_t row = 1; row < words.size(); ++row) {
    for (const std::size_t column : {2U, 4U, 6U}) {
      EXPECT_GE(digits_of(words[row][column]), 3) << words[row][column];
      EXPECT_EQ(words[row][column].find("tokens"), std::string::npos) << "in the heading";
    }
  }
}

// On the projector nothing stands at the left until the key is pressed.
TEST(SweepTable, WhereThereIsNoSweepTheKeyOfTheSettingsIsNamed) {
  const text::Texts texts = testing::program_texts();
  SweepPage page;
  EXPECT_NE(no_sweep_text(page, texts).find("on the left"), std::string::npos);
  page.settings_key = "C";
  const std::string words = no_sweep_text(page, texts);
  EXPECT_TRUE(words.starts_with("Press C for the settings")) << words;
  EXPECT_EQ(words.find("on the left"), std::string::npos) << words;
}

TEST(SweepTable, TheBarGivesWayToTheWordsBesideIt) {
  EXPECT_EQ(progress_width(346, 900, 140, 1), 346);
  EXPECT_EQ(progress_width(346, 470, 140, 1), 330) << "all of the words";
  EXPECT_EQ(progress_width(346, 400, 300, 1), 300) << "the title beside the count stays";
  EXPECT_EQ(progress_width(346, 80, 300, 1), 120);
}

TEST(SweepTable, TheStripSaysWhichPointRunsAndHowLongItTakes) {
  const text::Texts texts = testing::program_texts();
  sweep::Sweep sweep(spec_of("T=64:512:x2", "backend=naive,flash"));
  SweepPage page;
  page.sweep = &sweep;
  EXPECT_EQ(sweep_now_text(page, texts), sweep_state_text(sweep, false, texts));
  page.predicting = true;
  EXPECT_EQ(sweep_now_text(page, texts), "Predicting the memory of every point");
  page.predicting = false;
  const std::size_t first = *sweep.next();
  sweep.start(first);
  page.now = "warm-up";
  const std::string begun = sweep_now_text(page, texts);
  EXPECT_TRUE(begun.starts_with("naive, T = 64, warm-up")) << begun;
  EXPECT_EQ(begun.find("left"), std::string::npos) << "nothing was measured yet: " << begun;
  const spec::WorkloadSpec& spec = sweep.points()[first].spec;
  sweep.finish(first, run::testing::made_run(spec, 4000, 64'000));
  const std::size_t second = *sweep.next();
  sweep.start(second);
  const std::string then = sweep_now_text(page, texts);
  EXPECT_EQ(sweep.seconds_left() >= 0, then.find(" s left") != std::string::npos) << then;
  page.problem.sentence = "The journal cannot be written";
  EXPECT_EQ(sweep_now_text(page, texts), "The journal cannot be written");
}

TEST(SweepTable, TheStripNamesWhatTheSweepVaries) {
  const text::Texts texts = testing::program_texts();
  EXPECT_EQ(sweep_range_text(spec_of("T=64:512:x2", "backend=naive,flash"), texts),
            "T 64 to 512, naive, flash");
  sweep::SweepSpec two = spec_of("T=1024", "backend=naive,math,flash,tiled");
  two.axes.push_back(*sweep::parse_axis("B=1:8:x2"));
  EXPECT_EQ(sweep_range_text(two, texts), "T 1,024, B 1 to 8, 4 series");
}

// A sweep that was opened beside the controls of another is not taken for what they would begin.
TEST(StaleSweep, names_what_is_varied_where_the_controls_would_vary_something_else) {
  const text::Texts texts = testing::program_texts();
  const sweep::SweepSpec shown = spec_of("B=1:8:x2", "backend=naive,flash");
  sweep::SweepSpec offered = spec_of("T=64:512:x2", "backend=naive,flash");
  EXPECT_EQ(stale_sweep(shown, &offered, shown.base, texts), "B 1 to 8, naive, flash");
  offered = spec_of("B=1:8:x2", "dtype=fp32,bf16");
  EXPECT_TRUE(
      stale_sweep(shown, &offered, shown.base, texts).starts_with("B 1 to 8, naive, flash"));
  // The same settings over other values: what is shown is named in the strip, and can be added to.
  offered = spec_of("B=1:32:x2", "backend=naive,flash");
  EXPECT_EQ(stale_sweep(shown, &offered, shown.base, texts), "");
}

TEST(SweepSpeedUp, NumbersAndWhiskersStayWithinThePlot) {
  const text::Texts texts = testing::program_texts();
  sweep::Sweep sweep(spec_of("T=64:1024:x2", "backend=naive,flash"));
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    sweep::PointMeasurement known;
    known.step.n = 10;
    known.step.median_ms = sweep.points()[i].series == 0 ? 30 : 10;
    // Wide enough for whiskers that go on past the top.
    known.step.ci95_low_ms = known.step.median_ms / 4;
    known.step.ci95_high_ms = known.step.median_ms * 4;
    sweep.restore(i, sweep::PointStatus::ok, {}, known);
  }
  for (const bool log : {false, true}) {
    for (const float height : {200.0F, 300.0F, 600.0F}) {
      SCOPED_TRACE(height);
      RecordingSink sink;
      SweepFigure figure{sweep, texts, theme(ThemeKind::dark), {1}};
      figure.look.log_y = log;
      figure.only = SweepChart::speed_up;
      draw_sweep_figure(sink, {0, 0, 700, height}, figure);
      // The axis at the left is as high as the plot.
      const auto axis = std::ranges::find_if(sink.calls, [&](const RecordingSink::Call& call) {
        return call.kind == RecordingSink::Kind::fill && call.bounds.width() == 1 &&
               call.bounds.height() > height / 3;
      });
      ASSERT_NE(axis, sink.calls.end());
      int numbers = 0;
      for (const RecordingSink::Call& call : sink.calls) {
        if (call.text != "3.00") continue;
        ++numbers;
        EXPECT_GE(call.bounds.y0, axis->bounds.y0);
        EXPECT_LE(call.bounds.y1, axis->bounds.y1);
      }
      EXPECT_EQ(numbers, 5);
    }
  }
}

// The first steps are in the mean and the deviation, not in the median.
TEST(SweepTable, AStudyOfWarmUpTellsMeansWithTheirDeviation) {
  const text::Texts texts = testing::program_texts();
  sweep::Sweep sweep(spec_of("warmups=0,5", nullptr));
  for (const auto& ms : {std::vector<double>{90, 20, 20, 20}, {20, 20, 20, 20}}) {
    const std::size_t point = *sweep.next();
    sweep.start(point);
    run::Run run = run::testing::made_run(sweep.points()[point].spec, 20, 1000, 0);
    for (const double one : ms) {
      run::SampleUpdate sample;
      sample.id = 1;
      sample.times.total_ns = static_cast<std::int64_t>(one * 1e6);
      run.apply(sample);
    }
    sweep.finish(point, run);
  }
  const auto words = table_text(sweep, texts);
  EXPECT_EQ(words[0][2], "Mean, ms");
  EXPECT_EQ(words[0][3], "Std, ms");
  EXPECT_EQ(words[1][2], "37.50");
  EXPECT_EQ(words[1][3], "35.00");
  EXPECT_EQ(words[2][2], "20.00");
  const auto lines = finding_lines(sweep, analyse(sweep, {}, {}), texts);
  const auto told = [&](const char* part) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(told("0: 37.50 \xc2\xb1 35.00, 5: 20.00 \xc2\xb1 0.00"));
}

}  // namespace
}  // namespace ts::views
