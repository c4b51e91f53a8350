// The rows around the chart: title, legend, slider and the line of gestures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/views/memory_chart_fixture.h"

namespace ts::views {
namespace {

using testing::MemoryChartTest;
using testing::RecordingSink;
using Kind = RecordingSink::Kind;

// Beside its legend the slider of detail has a place at the sizes of usual screens.
TEST_F(MemoryChartTest, TheSliderOfDetailIsThereBesideTheLegend) {
  files::OpenedFile opened;
  file = &opened;
  const auto blocks = run->memory.blocks();
  std::vector<memory::Category> decided(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    decided[i] = static_cast<memory::Category>(i % memory::kCategoryCount);
  run->memory.decide(decided, {});
  int in_row_of_legend = 0;
  for (float width = 640; width < 1400; width += 40) {
    area = {0, 0, width, 450};
    frame();
    const RecordingSink sink = frame();
    const Rect slider = chart.item(MemoryChart::kDetail);
    ASSERT_GT(slider.width(), 0) << width;
    if (chart.regions().has_legend() && slider.y0 >= chart.regions().legend.y0) {
      ++in_row_of_legend;
      for (const auto& call : sink.calls) {
        if (call.kind != Kind::text || call.bounds.y1 > chart.regions().legend.y1 ||
            call.bounds.y0 < chart.regions().legend.y0 || call.bounds.x0 >= slider.x0)
          continue;
        EXPECT_LE(call.bounds.x1, slider.x0) << call.text << " at " << width;
      }
    }
    ViewContext view = context();
    chart.use(MemoryChart::kDetail, slider.x1, view);
    EXPECT_EQ(state.detail, kAllBlocks) << width;
    chart.use(MemoryChart::kDetail, slider.x1 - 40, view);
    EXPECT_NE(state.detail, kAllBlocks) << width;
  }
  EXPECT_GT(in_row_of_legend, 0);
}

// A file of several devices shows one of them at a time.
TEST_F(MemoryChartTest, ThePeakSaysWhichDeviceItIsOf) {
  files::OpenedFile opened;
  for (const std::int64_t number : {3, 4})
    opened.devices.push_back({.number = number, .run = run::Run{run::StartedUpdate{}}});
  file = &opened;
  frame();
  EXPECT_TRUE(frame().says("Peak allocated on device 3: "));
  opened.devices.pop_back();
  frame();
  const RecordingSink alone = frame();
  EXPECT_TRUE(alone.says("Peak allocated "));
  EXPECT_FALSE(alone.says("on device"));
}

// The line of gestures leaves out hints and cuts none.
TEST_F(MemoryChartTest, TheLineOfGesturesIsOfWholeHints) {
  files::OpenedFile opened;
  file = &opened;
  const std::string all = texts("memory.gestures");
  std::set<std::string> seen;
  for (float width = 500; width < 1500; width += 50) {
    area = {0, 0, width, 560};
    frame();
    const RecordingSink sink = frame();
    for (const auto& call : sink.calls) {
      if (call.kind != Kind::text || !call.text.starts_with(all.substr(0, 6))) continue;
      seen.insert(call.text);
      const std::string rest = all.substr(std::min(call.text.size(), all.size()));
      EXPECT_TRUE(all.starts_with(call.text)) << call.text;
      EXPECT_TRUE(rest.empty() || rest.starts_with("   ")) << call.text;
      EXPECT_LE(call.bounds.x1, chart.regions().hint.x1 + 1);
    }
  }
  EXPECT_GT(seen.size(), 2U);
  EXPECT_TRUE(seen.contains(all));
}

}  // namespace
}  // namespace ts::views
