#include "views/charts/plot_axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/views/recording_sink.h"
#include "views/common/svg_sink.h"

namespace ts::views {
namespace {

TEST(PlotAxis, LogAxesMapRatiosToDistances) {
  const PlotAxis axis{1, 1000, true, 0, 300};
  EXPECT_FLOAT_EQ(axis.position(1), 0);
  EXPECT_FLOAT_EQ(axis.position(10), 100);
  EXPECT_FLOAT_EQ(axis.position(1000), 300);
  EXPECT_FLOAT_EQ(axis.position(0), 0) << "no logarithm";
  EXPECT_FLOAT_EQ(axis.position(-1), 0);
  EXPECT_TRUE(std::isfinite(axis.position(1e300)));
}

TEST(PlotAxis, AxisAroundDegenerateValues) {
  for (const bool log : {false, true}) {
    for (const auto& [least, greatest] : {std::pair{0.0, 0.0}, {5.0, 5.0}, {-3.0, 2.0}}) {
      const PlotAxis axis = axis_around(least, greatest, log, 0, 100);
      EXPECT_LT(axis.low, axis.high);
      EXPECT_TRUE(std::isfinite(axis.position(1)));
      EXPECT_FALSE(log && axis.low <= 0);
    }
  }
}

void expect_apart(const PlotAxis& axis, const Ticks& ticks, float apart) {
  EXPECT_GE(ticks.ticks.size(), 2U);
  for (std::size_t i = 1; i < ticks.ticks.size(); ++i) {
    const float a = axis.position(ticks.ticks[i - 1].position);
    const float b = axis.position(ticks.ticks[i].position);
    EXPECT_GE(std::abs(b - a), apart * 0.9F) << ticks.ticks[i].label;
    EXPECT_NE(ticks.ticks[i].label, ticks.ticks[i - 1].label);
  }
}

TEST(PlotAxis, ValueAtIsTheInverseOfPosition) {
  for (const bool log : {false, true}) {
    const PlotAxis axis = axis_around(2, 300, log, 100, 500);
    for (const double part : {0.0, 0.25, 0.5, 1.0}) {
      EXPECT_NEAR(axis.position(axis.value_at(part)), 100 + 400 * part, 1e-3);
    }
  }
}

// As long together as in one straight line, wherever the corners are.
TEST(PlotAxis, DashesGoOnAroundCorners) {
  const auto length_of = [](const std::vector<Point>& path) {
    testing::RecordingSink sink;
    dashed_path(sink, path, 0xFFFFFFFFU, 1, 4, 3);
    float sum = 0;
    for (const auto& call : sink.calls) sum += call.bounds.width() + call.bounds.height();
    return sum;
  };
  EXPECT_NEAR(length_of({{0, 0}, {70, 0}}), 40, 1e-3);
  std::vector<Point> corners;
  for (int i = 0; i <= 70; ++i) {
    corners.push_back({static_cast<float>((i + 1) / 2), static_cast<float>(i / 2)});
  }
  EXPECT_NEAR(length_of(corners), 40, 1e-2);
}

TEST(PlotAxis, TicksStandApartAndDiffer) {
  for (const double decades : {0.7, 2.0, 5.0, 9.0}) {
    PlotAxis axis{0.003, 0.003 * std::pow(10, decades), true, 300, 0};
    expect_apart(axis, time_value_ticks(axis, 26), 26);
    axis.low *= 1e9;
    axis.high *= 1e9;
    expect_apart(axis, byte_value_ticks(axis, 26), 26);
  }
  const PlotAxis linear{0, 54321, false, 300, 0};
  expect_apart(linear, number_ticks(linear, 40), 40);
}

// 530 to 850 KiB: no power of two but 512 is near.
TEST(PlotAxis, NarrowLogAxesHaveTicksToo) {
  for (const auto& [low, high] : {std::pair{530.0, 850.0}, {20.0, 80.0}, {90.0, 104.0}}) {
    const PlotAxis axis = axis_around(low * 1024, high * 1024, true, 300, 0);
    const PlotAxis time = axis_around(low, high, true, 300, 0);
    for (const Ticks& ticks : {byte_value_ticks(axis, 26), time_value_ticks(time, 26)}) {
      ASSERT_GE(ticks.ticks.size(), 3U) << low;
      EXPECT_LE(ticks.ticks.size(), 12U) << low;
      const bool bytes = ticks.unit == "KiB";
      for (std::size_t i = 1; i < ticks.ticks.size(); ++i) {
        const PlotAxis& on = bytes ? axis : time;
        EXPECT_GE(on.position(ticks.ticks[i - 1].position) - on.position(ticks.ticks[i].position),
                  25.9F);
        EXPECT_NE(ticks.ticks[i - 1].label, ticks.ticks[i].label);
      }
    }
  }
}

TEST(PlotAxis, UnitsSuitTheValues) {
  EXPECT_EQ(time_value_ticks({0.01, 0.3, true, 300, 0}, 26).unit, "\xc2\xb5s");
  EXPECT_EQ(time_value_ticks({1, 5000, true, 300, 0}, 26).unit, "ms");
  EXPECT_EQ(byte_value_ticks({0x1p22, 0x1p31, true, 300, 0}, 26).unit, "MiB");
  EXPECT_EQ(short_count(512), "512");
  EXPECT_EQ(short_count(32768), "32 Ki");
  EXPECT_EQ(short_count(1000), "1,000");
  EXPECT_EQ(short_count(3072), "3 Ki");
}

TEST(PlotAxis, ValueTicksAreThinnedOut) {
  const PlotAxis axis{1, 64, true, 0, 120};
  const auto ticks = value_ticks(axis, {1, 2, 4, 8, 16, 32, 64}, 44);
  EXPECT_EQ(ticks.ticks.size(), 3U);
  EXPECT_EQ(ticks.ticks[0].label, "1");
}

TEST(SvgSink, IsWellFormedAndEscapes) {
  const testing::RecordingSink measure;
  SvgSink sink(measure, 200, 100, 0xFFFFFFFF);
  sink.push_clip({0, 0, 10, 10});
  sink.text({1, 2}, TextStyle::body, 0x80112233, "a < b & \"c\"\x01");
  sink.pop_clip();
  sink.line({0, 0}, {1, 1}, 0xFF0000FF);
  const std::string svg = sink.document();
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("fill=\"#332211\" fill-opacity=\"0.502\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("stroke=\"#ff0000\""), std::string::npos) << svg;
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace ts::views
