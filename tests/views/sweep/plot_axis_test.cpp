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
  EXPECT_NE(svg.find("a &lt; b &amp; \"c\"</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("fill=\"#332211\" fill-opacity=\"0.502\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("stroke=\"#ff0000\""), std::string::npos) << svg;
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace ts::views
