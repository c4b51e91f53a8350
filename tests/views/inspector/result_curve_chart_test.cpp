#include "views/inspector/result_curve_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/spec/workload_traits.h"
#include "tests/views/recording_sink.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

const std::vector<run::ResultCurve>& sums() {
  static const std::vector<run::ResultCurve> all = {
      {"fp32 += fp32", {250, 500, 750, 1000}, {2.5, 5, 7.5, 10.0001}},
      {"bf16 += bf16", {250, 500, 750, 1000}, {2.4, 4, 4, 4}},
      {report::kExactCurve, {250, 500, 750, 1000}, {2.5, 5, 7.5, 10}}};
  return all;
}

bool says(const RecordingSink& sink, const std::string& words) {
  return std::any_of(sink.calls.begin(), sink.calls.end(),
                     [&](const auto& call) { return call.text == words; });
}

struct ResultCurveChart : ::testing::Test {
  text::Texts texts = testing::program_texts();
  ResultCurveFigure of(const std::vector<run::ResultCurve>& curves, spec::WorkloadKind kind) {
    return {theme(ThemeKind::dark), {1}, texts, curves, spec::traits_of(kind).curves};
  }
};

TEST_F(ResultCurveChart, NamesEveryCurveWithItsLastValue) {
  RecordingSink sink;
  const ResultCurveFigure figure = of(sums(), spec::WorkloadKind::accumulation);
  const Rect area{10, 20, 310, 20 + result_curve_chart_height(figure)};
  EXPECT_FALSE(draw_result_curve_chart(sink, area, figure));
  EXPECT_EQ(sink.open_clips(), 0U);
  for (const char* words : {"fp32 += fp32", "bf16 += bf16", "exact", "10.0001", "4.0000", "10.0000",
                            "after 1,000 additions", "additions", "sum"}) {
    EXPECT_TRUE(says(sink, words)) << words;
  }
  for (const auto& call : sink.calls) {
    EXPECT_GE(call.seen().x0, area.x0 - 1) << call.text;
    EXPECT_LE(call.seen().x1, area.x1 + 1) << call.text;
    EXPECT_LE(call.seen().y1, area.y1 + 1) << call.text;
  }
}

TEST_F(ResultCurveChart, TellsTheValuesUnderTheMouse) {
  RecordingSink sink;
  ResultCurveFigure figure = of(sums(), spec::WorkloadKind::accumulation);
  const Rect area{0, 0, 300, result_curve_chart_height(figure)};
  figure.mouse = {170, 100};  // about the middle of the plot
  const auto hit = draw_result_curve_chart(sink, area, figure);
  ASSERT_TRUE(hit);
  EXPECT_EQ(*hit, 1U);
  EXPECT_TRUE(says(sink, "after 500 additions"));
  EXPECT_TRUE(says(sink, "5.0000"));
  figure.mouse = {170, area.y1 - 5};  // over the names
  EXPECT_FALSE(draw_result_curve_chart(sink, area, figure));
}

// An argument of a user's own: its name is no key of a text. A few points are marked.
TEST_F(ResultCurveChart, NamesItsAxisAsItIsTold) {
  const std::vector<run::ResultCurve> needed = {{"B = 1", {64, 128, 4096}, {448, 450, 476}},
                                                {"B = 8", {64, 128, 4096}, {450, 450, 566}}};
  RecordingSink sink;
  ResultCurveFigure figure = of(needed, spec::WorkloadKind::layernorm);
  figure.axes = {.x = "", .y = "needed_mib", .log = false};
  figure.x_name = "rows";
  draw_result_curve_chart(sink, {0, 0, 300, result_curve_chart_height(figure)}, figure);
  for (const char* words : {"rows", "rows: 4,096", "MiB needed", "476", "566"})
    EXPECT_TRUE(says(sink, words)) << words;
  const Color color = theme(ThemeKind::dark).category[0];
  EXPECT_EQ(std::count_if(sink.calls.begin(), sink.calls.end(),
                          [&](const auto& call) {
                            return call.kind == RecordingSink::Kind::fill && call.color == color;
                          }),
            3);
}

// Errors over seven decades, one of which is no number.
TEST_F(ResultCurveChart, LogarithmicAxesLeaveGapsWhereThereIsNoNumber) {
  const std::vector<run::ResultCurve> errors = {
      {"fp16", {1e-3, 1e-1, 10, 1e3, 1e4}, {1e-3, 2e-3, std::nan(""), 1, 1}},
      {"fp32", {1e-3, 1e-1, 10, 1e3, 1e4}, {1e-7, 1e-7, 2e-7, 1e-7, 1e-7}}};
  RecordingSink sink;
  const ResultCurveFigure figure = of(errors, spec::WorkloadKind::layernorm);
  draw_result_curve_chart(sink, {0, 0, 300, result_curve_chart_height(figure)}, figure);
  for (const char* words : {"1e-2", "1e4", "1e-6", "1e0", "at scale 10,000", "1.00e-07"}) {
    EXPECT_TRUE(says(sink, words)) << words;
  }
  // The first curve is solid: two pieces.
  const Color color = theme(ThemeKind::dark).category[0];
  const auto pieces = std::count_if(sink.calls.begin(), sink.calls.end(), [&](const auto& call) {
    return call.kind == RecordingSink::Kind::polyline && call.color == color;
  });
  EXPECT_EQ(pieces, 3) << "and its sample beside the name";
}

}  // namespace
}  // namespace ts::views
