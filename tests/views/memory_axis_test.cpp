#include "views/memory/memory_axis.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "core/files/opened_file.h"
#include "tests/views/memory_chart_fixture.h"

namespace ts::views::testing {
namespace {

// A recording does not tell in which order they came.
TEST_F(MemoryChartTest, TheAxisOfEventsBeginsWithAllThatLivedBeforeTheRecording) {
  files::OpenedFile opened;
  file = &opened;
  state.memory_axis = memory::Axis::event;
  // How far right of the left edge an event is.
  const auto place = [this](std::int64_t event) {
    frame();
    const auto time_ns = run->memory.events()[static_cast<std::size_t>(event)].time_ns;
    return chart.x_of(time_ns) - chart.regions().plot.x0;
  };
  const std::int64_t last = std::ssize(run->memory.events()) - 1;
  ASSERT_GT(place(last / 2), 50);
  opened.devices.push_back({.run = run::Run{run::StartedUpdate{}}, .blocks_before = last / 2 + 1});
  run->id = 2;
  EXPECT_NEAR(place(last / 2), 0, 1);
  // A recording with no event of its own.
  opened.devices[0].blocks_before = last + 1;
  run->id = 3;
  EXPECT_NEAR(place(last), 0, 1);
}

// The memory of a trace follows its timeline, as that of a run; a snapshot has no timeline.
TEST_F(MemoryChartTest, the_memory_of_a_trace_shows_the_range_of_its_timeline) {
  const files::OpenedTrace opened_trace{{}, run::Run(run::StartedUpdate{}), {}, {}};
  files::OpenedFile opened;
  file = &opened;
  frame();
  EXPECT_EQ(chart.item(MemoryChart::kLink).width(), 0);
  trace = &opened_trace;
  const base::TimeRange all = run->memory.time_range();
  state.visible = {all.begin + all.length() / 4, all.begin + all.length() / 2};
  frame();
  const Rect& plot = chart.regions().plot;
  EXPECT_NEAR(chart.x_of(state.visible.begin), plot.x0, 1);
  EXPECT_NEAR(chart.x_of(state.visible.end), plot.x1, 1);
  EXPECT_GT(chart.item(MemoryChart::kLink).width(), 0);
}

}  // namespace
}  // namespace ts::views::testing
