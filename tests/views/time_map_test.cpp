#include <gtest/gtest.h>

#include <algorithm>

#include "tests/views/memory_chart_fixture.h"

namespace ts::views {
namespace {

using testing::MemoryChartTest;
using testing::RecordingSink;

TEST_F(MemoryChartTest, TheMapOfAFileMovesTheTimeInView) {
  frame();
  EXPECT_FALSE(chart.regions().has_map()) << "the timeline of a run has one";
  files::OpenedFile opened;
  file = &opened;
  frame();
  const Rect map = chart.regions().map;
  ASSERT_TRUE(chart.regions().has_map());
  const auto parts = [&map](const RecordingSink& sink) {
    return std::ranges::count_if(sink.calls, [&map](const RecordingSink::Call& call) {
      return call.kind == RecordingSink::Kind::outline && call.bounds.y0 == map.y0 &&
             call.bounds.y1 == map.y1;
    });
  };
  EXPECT_EQ(parts(frame()), 0) << "all is in view";
  ChartInput wheel = over(0.1F, 0.5F);
  wheel.wheel = 8;
  frame(wheel);
  EXPECT_EQ(parts(frame()), 1);
  const std::int64_t first = run->memory.events().front().time_ns;
  const float before = chart.x_of(first);
  ChartInput press = over(0.5F, 0.5F);
  press.mouse = {map.x0 + map.width() * 0.8F, map.y0 + 3};
  click(press);
  frame();
  EXPECT_LT(chart.x_of(first), before - map.width()) << "a later part is in view";
  EXPECT_FALSE(state.selected_block);
}

}  // namespace
}  // namespace ts::views
