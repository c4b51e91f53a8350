#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "tests/views/recording_sink.h"
#include "tests/views/synthetic_run.h"
#include "tests/views/texts_for_tests.h"
#include "views/charts/labels.h"
#include "views/memory/detail_slider.h"
#include "views/memory/live_list.h"
#include "views/memory/memory_axis.h"
#include "views/memory/memory_regions.h"
#include "views/memory/memory_scale.h"
#include "views/memory/stack_maker.h"
#include "views/memory/stack_picture.h"

namespace ts::views {
namespace {

using memory::Axis;
using testing::RecordingSink;

TEST(MemoryRegions, StayInsideAndApart) {
  for (const float scale : {0.75F, 1.0F, 1.6F, 3.0F}) {
    for (float height = 30; height < 900; height += 31) {
      for (float width = 100; width < 2200; width += 300) {
        const bool legend_row = width > 900;
        const Rect area{5, 9, 5 + width, 9 + height};
        const MemoryRegions r = lay_out_memory(area, Metrics{scale}, legend_row);
        for (const Rect* part : {&r.title, &r.legend, &r.plot, &r.bands, &r.y_labels, &r.x_labels,
                                 &r.steps, &r.list}) {
          if (part->width() <= 0 || part->height() <= 0) continue;
          EXPECT_GE(part->x0, area.x0);
          EXPECT_GE(part->y0, area.y0);
          EXPECT_LE(part->x1, area.x1);
          EXPECT_LE(part->y1, area.y1);
        }
        EXPECT_GE(r.plot.height(), 0);
        if (r.has_legend()) {
          EXPECT_LE(r.legend.y1, r.bands.y0);
          EXPECT_GE(r.plot.height(), 120 * scale - 3) << "the plot does not pay for it";
        }
        // The list stands beside the plot, never over it.
        if (r.has_list()) {
          EXPECT_GT(r.list.x0, r.plot.x1);
        }
      }
    }
  }
}

TEST(MemoryAxis, TimesAndPlacesAgree) {
  base::StringTable strings;
  const auto run = testing::transformer_run(strings, {});
  const memory::AllocationLog& log = run->memory;
  std::mt19937_64 random(2);
  for (const Axis kind : {Axis::time, Axis::event}) {
    const base::TimeRange all = all_places(log, kind);
    std::int64_t before = all.begin - 1;
    for (memory::EventIndex e = 0; e < log.events().size(); ++e) {
      const std::int64_t place = place_of_event(log, kind, e);
      EXPECT_GE(place, before);
      before = place;
    }
    EXPECT_LT(before, all.end);
    for (int i = 0; i < 500; ++i) {
      const base::TimeRange times = log.time_range();
      const auto time = times.begin + static_cast<std::int64_t>(
                                          random() % static_cast<std::uint64_t>(times.length()));
      const std::int64_t place = place_of_time(log, kind, time);
      // An event's thousandth is the step of the event axis.
      const std::int64_t back = time_of_place(log, kind, place);
      const memory::EventIndex e = log.event_at(time);
      const std::int64_t gap =
          e + 1 < log.events().size() ? log.events()[e + 1].time_ns - log.events()[e].time_ns : 1;
      EXPECT_NEAR(static_cast<double>(back - time), 0,
                  kind == Axis::time ? 0 : static_cast<double>(gap) / 500 + 1);
      // The last of several events at one time counts on the time axis; the event axis has all.
      const memory::EventIndex found = event_of_place(log, kind, place);
      EXPECT_EQ(log.events()[found].time_ns, log.events()[e].time_ns);
    }
  }
}

TEST(MemoryAxis, OfAnEmptyLogIsEmpty) {
  const memory::AllocationLog log;
  EXPECT_TRUE(all_places(log, Axis::event).empty());
  EXPECT_TRUE(all_places(log, Axis::time).empty());
  EXPECT_EQ(event_of_place(log, Axis::event, 5), memory::kNone);
  EXPECT_EQ(time_of_place(log, Axis::event, 5), 0);
}

// Marks stand at the events that have these numbers in the list of a file, not at their places.
TEST(MemoryAxis, MarksStandAtTheNumbersOfTheList) {
  // Two blocks from before; every other event of the list belongs to a segment.
  std::vector<std::uint32_t> numbers = {0, 0};
  for (std::uint32_t i = 0; i < 1'000; ++i) numbers.push_back(2 * i + 1);
  const base::TimeRange all{kEventUnit, static_cast<std::int64_t>(numbers.size()) * kEventUnit};
  const Ticks ticks = event_ticks(all, numbers, 600, 76);
  ASSERT_GE(ticks.ticks.size(), 4U);
  EXPECT_EQ(ticks.ticks.front().position, kEventUnit);  // 0: the last block from before
  for (const Tick& tick : ticks.ticks) {
    const double number = std::stod(std::regex_replace(tick.label, std::regex("[^0-9]"), ""));
    const auto event = static_cast<std::size_t>(tick.position / kEventUnit);
    ASSERT_LE(event, numbers.size());
    if (event == numbers.size()) continue;  // the end of the axis
    EXPECT_LE(numbers[event], number);
    if (event + 1 < numbers.size()) {
      EXPECT_GT(numbers[event + 1], number);
    }
  }
  EXPECT_EQ(event_ticks(all, {}, 600, 76).ticks.back().position, 1'000.0 * kEventUnit);
}

TEST(MemoryScale, ShowsTheCapacityOnlyWhileThePeakStaysVisible) {
  const Rect plot{50, 60, 700, 460};
  const std::int64_t gib = std::int64_t{1} << 30;
  const MemoryScale near = choose_scale(plot, 20 * gib, 24 * gib, 50);
  EXPECT_TRUE(near.capacity_in_range);
  EXPECT_GT(near.y_of(24 * gib), plot.y0);
  const MemoryScale far = choose_scale(plot, 2 * gib, 80 * gib, 50);
  EXPECT_FALSE(far.capacity_in_range);
  EXPECT_TRUE(far.capacity_above);
  const MemoryScale none = choose_scale(plot, 2 * gib, 0, 50);
  EXPECT_FALSE(none.capacity_in_range || none.capacity_above);
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto most = static_cast<std::int64_t>(1 + random() % static_cast<unsigned>(1 << 30));
    const auto capacity = static_cast<std::int64_t>(random() % static_cast<unsigned>(1 << 31));
    const MemoryScale scale = choose_scale(plot, most, capacity, 50);
    // The largest total takes at least a quarter of the height and leaves the head free.
    EXPECT_LE(scale.y_of(most), plot.y1 - plot.height() / 4);
    EXPECT_GE(scale.y_of(most), plot.y0 + 49);
    EXPECT_NEAR(static_cast<double>(scale.bytes_at(scale.y_of(most))), static_cast<double>(most),
                scale.bytes_per_pixel());
  }
}

TEST(StackPicture, CoversWhatTheLayoutCoversAndNothingTwice) {
  base::StringTable strings;
  const auto run = testing::busy_memory_run(strings, 4000, 5);
  const base::TimeRange all = all_places(run->memory, Axis::event);
  const MemoryAxis axis{Axis::event, {all, 0, 300}};
  const std::int64_t top = run->memory.peak_bytes() * 11 / 10;
  memory::LayoutRequest request = request_for(axis, static_cast<double>(top) / 200, 15000);
  request.rows = 200;
  const auto layout = memory::lay_out_active_memory(run->memory, request);
  const StackPicture picture =
      make_stack_picture(layout, 200, 1, 0xFF000000U, [](const memory::StackRect& rect) {
        return rect.block == memory::kNone ? 0xFF100000U + static_cast<Color>(rect.category)
                                           : 0xFF200000U + rect.block % 7;
      });
  std::vector<int> covered(300 * 200, 0);
  for (const StackFill& fill : picture.fills) {
    ASSERT_LE(fill.x1, 300);
    ASSERT_LE(fill.y1, 200);
    for (int x = fill.x0; x < fill.x1; ++x)
      for (int y = fill.y0; y < fill.y1; ++y) ++covered[static_cast<std::size_t>(x * 200 + y)];
  }
  for (int x = 0; x < 300; ++x) {
    const std::int64_t total = layout.columns[static_cast<std::size_t>(x)].bytes;
    const auto height =
        static_cast<int>(std::lround(static_cast<double>(total) * 200 / static_cast<double>(top)));
    for (int y = 0; y < 200; ++y)
      ASSERT_EQ(covered[static_cast<std::size_t>(x * 200 + y)], y < height ? 1 : 0)
          << x << " " << y;
  }
}

TEST(StackPicture, PartsTallBlocksByALine) {
  memory::ActiveMemoryLayout layout;
  layout.columns.resize(10);
  layout.rects.push_back({0, 10, 0, 40, 1, 1, memory::Category::activation});
  layout.rects.push_back({0, 10, 40, 43, 2, 2, memory::Category::activation});
  const StackPicture picture = make_stack_picture(
      layout, 100, 1, 0xFF000000U, [](const memory::StackRect&) { return 0xFFFFFFFFU; });
  // 39 rows of the first block, its line, and the second block, too thin for one.
  ASSERT_EQ(picture.fills.size(), 3U);
  EXPECT_EQ(picture.fills[0].y1, 39);
  EXPECT_EQ(picture.fills[1].y1, 40);
  EXPECT_NE(picture.fills[1].color, 0xFFFFFFFFU);
  EXPECT_EQ(picture.fills[2].y1, 43);
}

// However restless the stack is, a frame draws a bounded number of rectangles, and peaks stay.
TEST(StackPicture, JoinsColumnsWhereThereWouldBeTooManyRectangles) {
  memory::ActiveMemoryLayout layout;
  constexpr std::int32_t kColumns = 64;
  constexpr std::int32_t kRows = 50;
  layout.columns.resize(kColumns);
  for (std::int32_t x = 0; x < kColumns; ++x) {
    layout.columns[static_cast<std::size_t>(x)].bytes = x == 37 ? 1000 : 10;
    for (std::int32_t y = 0; y < (x == 37 ? kRows : kRows / 2); ++y) {
      const auto block = static_cast<memory::BlockIndex>(x * kRows + y);
      layout.rects.push_back({x, x + 1, y, y + 1, block, block, memory::Category::activation});
    }
  }
  const auto color = [](const memory::StackRect& rect) { return 0xFF000000U + rect.block; };
  EXPECT_EQ(make_stack_picture(layout, kRows, 1, 0, color).fills.size(), layout.rects.size());
  const StackPicture joined = make_stack_picture(layout, kRows, 1, 0, color, 500);
  EXPECT_LE(joined.fills.size(), 500U);
  int highest = 0;
  for (const StackFill& fill : joined.fills) highest = std::max(highest, fill.y1);
  EXPECT_EQ(highest, kRows);
}

// A zoomed axis shows the same place at the same bytes, and the capacity only where it is in view.
TEST(MemoryScale, AZoomedAxisShowsItsBytes) {
  const Rect plot{50, 60, 700, 460};
  const std::int64_t gib = std::int64_t{1} << 30;
  const MemoryScale all = choose_scale(plot, 20 * gib, 24 * gib, 50);
  const MemoryScale part = zoomed_scale(all, {4 * gib, 5 * gib}, 24 * gib);
  EXPECT_FLOAT_EQ(part.y_of(4 * gib), plot.y1);
  EXPECT_FLOAT_EQ(part.y_of(5 * gib), plot.y0);
  EXPECT_EQ(part.bytes_at(plot.y1), 4 * gib);
  EXPECT_FALSE(part.capacity_in_range);
  EXPECT_TRUE(part.capacity_above);
  const MemoryScale above = zoomed_scale(all, {25 * gib, 26 * gib}, 24 * gib);
  EXPECT_FALSE(above.capacity_in_range || above.capacity_above);
}

TEST(Layers, AreTheFirstNumberOfAPath) {
  EXPECT_EQ(layer_of("blocks.12.attn"), 12);
  EXPECT_EQ(layer_of("blocks.3"), 3);
  EXPECT_EQ(layer_of("embedding"), -1);
  EXPECT_EQ(layer_of(""), -1);
  EXPECT_EQ(layer_of("conv2d.7x"), -1);
  EXPECT_EQ(layer_of("a..5"), 5);
}

TEST(LiveFacts, AddUpToTheTotal) {
  base::StringTable strings;
  const auto run = testing::transformer_run(strings, {});
  const memory::AllocationLog& log = run->memory;
  LiveFactsCache cache;
  for (memory::EventIndex e = 0; e < log.events().size(); e += 37) {
    const LiveFacts& facts = cache.at(log, e);
    EXPECT_EQ(facts.total_bytes, log.events()[e].total_after);
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    for (std::size_t c = 0; c < facts.bytes.size(); ++c) {
      bytes += facts.bytes[c];
      count += facts.count[c];
    }
    EXPECT_EQ(bytes, facts.total_bytes);
    EXPECT_EQ(count, facts.total_count);
    for (std::size_t i = 1; i < facts.largest.size(); ++i)
      EXPECT_GE(log.blocks()[facts.largest[i - 1]].size, log.blocks()[facts.largest[i]].size);
  }
}

TEST(DetailSlider, GoesFromNothingToAll) {
  EXPECT_EQ(detail_at(0), 0U);
  EXPECT_EQ(detail_at(1), kAllBlocks);
  EXPECT_EQ(detail_at(7), kAllBlocks);
  EXPECT_FLOAT_EQ(detail_part(kAllBlocks), 1);
  std::uint32_t before = 0;
  for (int i = 0; i <= 100; ++i) {
    const std::uint32_t detail = detail_at(static_cast<float>(i) / 100);
    EXPECT_GE(detail, before);
    if (detail != kAllBlocks) {
      EXPECT_NEAR(detail_part(detail), static_cast<float>(i) / 100, 0.031F);
    }
    before = detail;
  }
}

// The list beside the chart agrees with the inspector: the same order, one unit for the column.
TEST(LiveList, IsInTheOrderOfTheBandsAndInOneUnit) {
  RecordingSink sink;
  const text::Texts texts = testing::program_texts();
  const base::StringTable strings;
  memory::AllocationLog log;
  memory::Record record;
  record.action = memory::Action::alloc;
  record.address = 1;
  record.size = 512;
  log.append(record);
  LiveFacts facts;
  facts.event = 0;
  facts.bytes = {std::int64_t{3} << 20, 0, 0, 40'000, std::int64_t{20} << 20, 0, 0};
  for (const std::int64_t bytes : facts.bytes) facts.total_bytes += bytes;
  draw_live_list({.sink = sink,
                  .theme = theme(ThemeKind::dark),
                  .metrics = {1},
                  .strings = strings,
                  .texts = texts},
                 {0, 0, 260, 400}, log, facts,
                 {.time_ns = 0, .words = [](std::int64_t) { return std::string("0 ms"); }},
                 {-1, -1});
  std::vector<std::string> names;
  std::vector<std::string> units;
  for (const RecordingSink::Call& call : sink.calls) {
    for (int i = 0; i < memory::kCategoryCount; ++i) {
      if (call.text == texts(category_key(static_cast<memory::Category>(i))))
        names.push_back(call.text);
    }
    if (call.text.ends_with("iB") || call.text == "B") units.push_back(call.text);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       texts(category_key(memory::Category::temporary)),
                       texts(category_key(memory::Category::activation)),
                       texts(category_key(memory::Category::input)),
                       texts(category_key(memory::Category::gradient)),
                       texts(category_key(memory::Category::optimizer_state)),
                       texts(category_key(memory::Category::parameter)),
                       texts(category_key(memory::Category::unknown)),
                   }));
  EXPECT_EQ(units, std::vector<std::string>(memory::kCategoryCount + 1, "MiB"));
  EXPECT_TRUE(sink.says("0.04")) << "40,000 bytes";
}

}  // namespace
}  // namespace ts::views
