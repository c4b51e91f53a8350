#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/allocation_log.h"
#include "tests/views/recording_sink.h"
#include "views/memory/layer_lines.h"

namespace ts::views {
namespace {

using memory::Reserved;

memory::AllocationLog log_of_one() {
  memory::AllocationLog log;
  memory::Record record;
  record.action = memory::Action::alloc;
  record.address = 1;
  record.size = 1;
  log.append(record);
  return log;
}

// 100 pixels for 1,000 ns, 100 for 100 bytes.
std::vector<Point> drawn(const std::vector<Reserved>& layer) {
  const memory::AllocationLog log = log_of_one();
  const MemoryAxis axis{memory::Axis::time, {{0, 1000}, 0, 100}};
  const MemoryScale scale{.plot = {0, 0, 100, 100}, .top = 100};
  testing::RecordingSink sink;
  draw_layer(sink, log, layer, axis, scale, Color{1}, 1);
  return sink.calls.size() == 1 ? sink.calls[0].points : std::vector<Point>{};
}

// Lines rise and fall where a value changes, never in between: within the pixel.
bool has_steps_only(const std::vector<Point>& line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i].y != line[i - 1].y && line[i].x - line[i - 1].x >= 1) return false;
  }
  return !line.empty();
}

TEST(LayerLines, ItsBytesAreThoseOfTheLastValueBefore) {
  const memory::AllocationLog log = log_of_one();
  const MemoryAxis axis{memory::Axis::time, {{0, 1000}, 0, 100}};
  const std::vector<Reserved> layer = {{100, 7}, {500, 9}};
  EXPECT_EQ(layer_bytes_at(log, layer, axis, 0), 7);
  EXPECT_EQ(layer_bytes_at(log, layer, axis, 49), 7);
  EXPECT_EQ(layer_bytes_at(log, layer, axis, 51), 9);
}

TEST(LayerLines, AShortValueAfterALongOneLeavesTheLongOneLevel) {
  const auto line = drawn({{0, 10}, {500, 90}, {505, 40}});
  EXPECT_TRUE(has_steps_only(line));
  const auto top = std::ranges::min_element(line, {}, &Point::y);
  ASSERT_NE(top, line.end());
  EXPECT_FLOAT_EQ(top->x, 50);
  EXPECT_FLOAT_EQ(top->y, 10) << "the peak of half a pixel is seen";
}

TEST(LayerLines, ManyShortValuesGoUpStepByStep) {
  std::vector<Reserved> layer{{0, 0}};
  for (std::int64_t i = 0; i < 90; ++i) layer.push_back({100 + 5 * i, i + 1});
  const auto line = drawn(layer);
  EXPECT_TRUE(has_steps_only(line));
  for (const Point& point : line) {
    // At a pixel's place the value is the one of that time, or one that follows in the same pixel.
    const float value = 100 - point.y;
    const float begun = point.x < 10 ? 0 : (point.x * 10 - 100) / 5 + 1;
    const float expected = std::min(begun, 90.0F);
    EXPECT_NEAR(value, expected, 3.0F) << point.x;
  }
  EXPECT_FLOAT_EQ(line.back().x, 100);
  EXPECT_FLOAT_EQ(line.back().y, 10);
  EXPECT_LT(line.size(), 4 * 100U) << "a few points for each pixel, however many changes";
}

}  // namespace
}  // namespace ts::views
