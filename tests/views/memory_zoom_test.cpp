#include <gtest/gtest.h>

#include <algorithm>

#include "tests/views/memory_chart_fixture.h"

namespace ts::views {
namespace {

using testing::MemoryChartTest;
using testing::RecordingSink;

// The share of the height between two marks of the axis grows when it is zoomed.
TEST_F(MemoryChartTest, CtrlWheelZoomsTheBytesUnderTheMouseAndFBringsAllBack) {
  area.x1 = 1700;
  frame();
  const ChartInput mouse = over(0.46F, 0.8F);
  frame(mouse);
  ASSERT_TRUE(state.hovered_block);
  const memory::BlockIndex block = *state.hovered_block;
  const base::TimeRange before = state.visible;
  ChartInput wheel = mouse;
  wheel.wheel = 5;
  wheel.ctrl = true;
  frame(wheel);
  EXPECT_EQ(state.visible, before) << "time stays";
  const RecordingSink zoomed = frame(mouse);
  EXPECT_EQ(state.hovered_block, block) << "what is under the mouse stays there";
  // The strip beside the plot says that a part is in view.
  const Rect& plot = chart.regions().plot;
  const auto strip = [&](const RecordingSink& sink) {
    return std::ranges::count_if(sink.calls, [&](const RecordingSink::Call& call) {
      return call.kind == RecordingSink::Kind::fill && call.bounds.x0 > plot.x1 &&
             call.bounds.x1 < plot.x1 + 12 && call.bounds.height() == plot.height();
    });
  };
  EXPECT_EQ(strip(zoomed), 1);
  // Shift and the keys move along the bytes, and away from the block.
  ChartInput keys = mouse;
  keys.shift = keys.pan_right = true;
  for (int i = 0; i < 60; ++i) frame(keys);
  frame(mouse);
  EXPECT_NE(state.hovered_block, block);
  ChartInput fit = mouse;
  fit.fit = true;
  frame(fit);
  frame(mouse);
  frame(mouse);
  EXPECT_EQ(strip(frame(mouse)), 0);
  EXPECT_EQ(state.hovered_block, block);
}

TEST_F(MemoryChartTest, ABoxZoomsBothAxesAndAFlatOneOnlyOne) {
  area.x1 = 1700;
  frame();
  const auto box = [&](float x0, float y0, float x1, float y1) {
    ChartInput input = over(x0, y0);
    input.shift = input.left_pressed = input.left_down = true;
    frame(input);
    input = over(x1, y1);
    input.shift = input.left_down = true;
    frame(input);
    input.left_down = false;
    frame(input);
    for (int i = 0; i < 3; ++i) frame();
  };
  const auto bytes_zoomed = [&] {
    const Rect& plot = chart.regions().plot;
    const RecordingSink sink = frame();
    return std::ranges::any_of(sink.calls, [&](const RecordingSink::Call& call) {
      return call.kind == RecordingSink::Kind::fill && call.bounds.x0 > plot.x1 &&
             call.bounds.x1 < plot.x1 + 12 && call.bounds.height() == plot.height();
    });
  };
  box(0.3F, 0.5F, 0.6F, 0.503F);
  EXPECT_FALSE(state.visible.empty());
  EXPECT_FALSE(bytes_zoomed());
  const base::TimeRange times = state.visible;
  box(0.3F, 0.5F, 0.302F, 0.7F);
  EXPECT_EQ(state.visible, times);
  EXPECT_TRUE(bytes_zoomed());
  ChartInput fit = over(0.5F, 0.5F);
  fit.fit = true;
  frame(fit);
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_FALSE(bytes_zoomed());
  box(0.3F, 0.5F, 0.6F, 0.7F);
  EXPECT_FALSE(state.visible.empty());
  EXPECT_TRUE(bytes_zoomed());
}

}  // namespace
}  // namespace ts::views
