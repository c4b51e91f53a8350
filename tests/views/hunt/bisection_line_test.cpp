// The number line of a bisection, drawn into a recorder.
#include "views/hunt/bisection_line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/views/recording_sink.h"

namespace ts::views {
namespace {

using testing::RecordingSink;

std::vector<predict::HuntProbe> probes(std::initializer_list<std::int64_t> values,
                                       std::int64_t edge) {
  std::vector<predict::HuntProbe> made;
  for (const std::int64_t value : values)
    made.push_back({{value}, {value <= edge ? predict::Fit::fits : predict::Fit::oom, 1, {}}});
  return made;
}

TEST(BisectionLine, goes_from_the_least_to_the_greatest_in_octaves) {
  const RecordingSink sink;
  const Rect area{10, 0, 410, 36};
  const auto stops = bisection_stops(sink, {1}, area, probes({512, 128, 256, 512}, 256));
  ASSERT_EQ(stops.size(), 3U);
  EXPECT_EQ(stops[0].value, 128);
  EXPECT_LT(stops[0].x - area.x0, 8);
  EXPECT_LT(area.x1 - stops[2].x, 8);
  EXPECT_NEAR(stops[1].x, (stops[0].x + stops[2].x) / 2, 0.5);
}

TEST(BisectionLine, both_sides_of_the_edge_are_labelled_and_no_label_lies_on_another) {
  const RecordingSink sink;
  const auto stops = bisection_stops(
      sink, {1}, {0, 0, 200, 36},
      probes({128, 256, 512, 1024, 2048, 4096, 3072, 2560, 2304, 2176, 2240, 2208}, 2176));
  ASSERT_EQ(stops.size(), 8U) << "what lies outside the first bracket is left out";
  EXPECT_EQ(stops.front().value, 2048);
  EXPECT_EQ(stops.back().value, 4096);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (stops[i].value == 2176 || stops[i].value == 2208) {
      EXPECT_TRUE(stops[i].labelled) << stops[i].value;
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!stops[i].labelled || !stops[k].labelled) continue;
      EXPECT_GE(stops[i].label_x, stops[k].label_x);
      EXPECT_GE(stops[i].label_x - stops[k].label_x, 20) << stops[k].value << stops[i].value;
    }
  }
}

// The headline names the largest value that fits.
TEST(BisectionLine, the_labelled_edge_is_that_of_the_largest_value_that_fits) {
  const RecordingSink sink;
  auto probed = probes({1024, 2048, 1536, 1792, 1543, 1544, 1549, 1550, 1551}, 1543);
  for (predict::HuntProbe& probe : probed) {
    if (probe.at[0] == 1549 || probe.at[0] == 1550) probe.answer.fit = predict::Fit::fits;
  }
  const auto stops = bisection_stops(sink, {1}, {0, 0, 200, 36}, probed);
  for (const LineStop& stop : stops) {
    const bool edge = stop.value == 1550 || stop.value == 1551;
    const bool end = stop.value == 1024 || stop.value == 2048;
    EXPECT_EQ(stop.labelled, edge || end) << stop.value;
  }
}

TEST(BisectionLine, grows_with_the_scale) {
  RecordingSink sink;
  const auto probed = probes({128, 512, 256}, 256);
  const Rect area{0, 0, 400, 72};
  const auto stops = bisection_stops(sink, {2}, area, probed);
  ASSERT_EQ(stops.size(), 3U);
  EXPECT_FLOAT_EQ(stops[0].x, 8);
  draw_bisection_line(sink, {}, {2}, area, stops);
  const auto dot = std::find_if(sink.calls.begin(), sink.calls.end(), [](const auto& call) {
    return call.kind == RecordingSink::Kind::fill;
  });
  ASSERT_NE(dot, sink.calls.end());
  EXPECT_FLOAT_EQ(dot->bounds.width(), 16);
}

TEST(BisectionLine, one_value_is_no_line) {
  RecordingSink sink;
  EXPECT_TRUE(bisection_stops(sink, {1}, {0, 0, 200, 36}, probes({128, 128}, 1)).empty());
  draw_bisection_line(sink, {}, {1}, {0, 0, 200, 36}, {});
  EXPECT_TRUE(sink.calls.empty());
}

}  // namespace
}  // namespace ts::views
