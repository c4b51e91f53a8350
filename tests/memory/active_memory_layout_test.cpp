#include "core/memory/active_memory_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/memory/stack_column.h"
#include "tests/memory/records.h"

namespace ts::memory {
namespace {

using testing::alloc;
using testing::free;
using testing::owner;

LayoutRequest events(double begin, double end, std::int32_t columns) {
  LayoutRequest request;
  request.begin = begin;
  request.end = end;
  request.columns = columns;
  return request;
}

void expect_rect(const StackRect& rect, std::int32_t column_begin, std::int32_t column_end,
                 std::int32_t row_begin, std::int32_t row_end, BlockIndex block) {
  EXPECT_EQ(rect.column_begin, column_begin);
  EXPECT_EQ(rect.column_end, column_end);
  EXPECT_EQ(rect.row_begin, row_begin);
  EXPECT_EQ(rect.row_end, row_end);
  EXPECT_EQ(rect.block, block);
}

TEST(ActiveMemoryLayout, nothing_to_lay_out_gives_no_rectangles) {
  AllocationLog log;
  EXPECT_TRUE(lay_out_active_memory(log, events(0, 10, 4)).rects.empty());
  EXPECT_EQ(lay_out_active_memory(log, events(0, 10, 4)).columns.size(), 4U);
  log.append(alloc(1, 0xA, 100));
  EXPECT_TRUE(lay_out_active_memory(log, events(0, 10, 0)).rects.empty());
  EXPECT_TRUE(lay_out_active_memory(log, events(0, 10, -3)).columns.empty());
  EXPECT_TRUE(lay_out_active_memory(log, events(5, 5, 4)).rects.empty());
  EXPECT_TRUE(lay_out_active_memory(log, events(7, 5, 4)).rects.empty());
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(lay_out_active_memory(log, events(0, infinite, 4)).rects.empty());
  EXPECT_TRUE(lay_out_active_memory(log, events(infinite * 0, 1, 4)).rects.empty());
}

TEST(ActiveMemoryLayout, a_block_that_does_not_move_is_one_rectangle) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(alloc(2, 0xB, 50));
  log.append(alloc(3, 0xC, 10));
  log.append(free(4, 0xB));  // C falls
  const ActiveMemoryLayout layout = lay_out_active_memory(log, events(0, 4, 4));
  ASSERT_EQ(layout.rects.size(), 4U);
  expect_rect(layout.rects[0], 1, 3, 100, 150, 1);
  expect_rect(layout.rects[1], 2, 3, 150, 160, 2);
  expect_rect(layout.rects[2], 0, 4, 0, 100, 0);
  expect_rect(layout.rects[3], 3, 4, 100, 110, 2);
}

TEST(ActiveMemoryLayout, categories_lie_in_their_order_from_the_bottom) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(alloc(2, 0xB, 50));
  log.append(alloc(3, 0xC, 10));
  log.append(owner(4, 0xB, Category::gradient));
  log.append(owner(5, 0xC, Category::parameter));
  const ActiveMemoryLayout layout = lay_out_active_memory(log, events(2, 3, 1));
  ASSERT_EQ(layout.rects.size(), 3U);
  expect_rect(layout.rects[0], 0, 1, 0, 10, 2);
  expect_rect(layout.rects[1], 0, 1, 10, 60, 1);
  expect_rect(layout.rects[2], 0, 1, 60, 160, 0);
  EXPECT_EQ(layout.rects[0].category, Category::parameter);
  EXPECT_EQ(layout.rects[1].category, Category::gradient);
}

TEST(ActiveMemoryLayout, a_peak_inside_a_column_is_shown) {
  AllocationLog log;
  for (std::int64_t i = 0; i < 500; ++i) {
    log.append(alloc(2 * i, 0xA, 10));
    log.append(free(2 * i + 1, 0xA));
  }
  log.append(alloc(2000, 0xB, 7777));
  log.append(free(2001, 0xB));
  for (std::int64_t i = 0; i < 500; ++i) {
    log.append(alloc(3000 + 2 * i, 0xA, 10));
    log.append(free(3000 + 2 * i + 1, 0xA));
  }
  const ActiveMemoryLayout layout = lay_out_active_memory(log, events(0, 2002, 3));
  EXPECT_EQ(layout.columns[1].bytes, 7777);
  EXPECT_EQ(layout.columns[1].event, log.peak_event());
  EXPECT_EQ(layout.columns[0].bytes, 10);
  const auto place = StackColumn(log, layout.columns[1].event).at(log, layout.drawn, 7776);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->block, log.events()[log.peak_event()].block);
}

TEST(ActiveMemoryLayout, thin_blocks_and_those_beyond_the_detail_are_bands_in_their_place) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(alloc(2, 0xB, 3));
  log.append(alloc(3, 0xC, 2));
  log.append(alloc(4, 0xD, 40));
  log.append(alloc(5, 0xE, 60));
  LayoutRequest request = events(4, 5, 1);
  request.bytes_per_pixel = 4;
  ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 4U);
  expect_rect(layout.rects[0], 0, 1, 0, 25, 0);
  expect_rect(layout.rects[1], 0, 1, 25, 26, kNone);
  EXPECT_EQ(layout.rects[1].largest, 1U);
  expect_rect(layout.rects[2], 0, 1, 26, 36, 3);
  expect_rect(layout.rects[3], 0, 1, 36, 51, 4);

  // Close enough every one is drawn, where it was.
  request.bytes_per_pixel = 1;
  request.bottom = 90;
  request.rows = 20;
  layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 4U);
  expect_rect(layout.rects[0], 0, 1, 0, 10, 0);
  expect_rect(layout.rects[1], 0, 1, 10, 13, 1);
  expect_rect(layout.rects[2], 0, 1, 13, 15, 2);
  expect_rect(layout.rects[3], 0, 1, 15, 20, 3);

  request = events(4, 5, 1);
  request.detail = 2;
  layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 3U);
  expect_rect(layout.rects[0], 0, 1, 0, 100, 0);
  expect_rect(layout.rects[1], 0, 1, 100, 145, kNone);
  EXPECT_EQ(layout.rects[1].largest, 3U);
  expect_rect(layout.rects[2], 0, 1, 145, 205, 4);

  request.detail = 0;
  layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 1U);
  expect_rect(layout.rects[0], 0, 1, 0, 205, kNone);
  EXPECT_EQ(layout.rects[0].largest, 0U);
}

TEST(ActiveMemoryLayout, no_height_gives_no_rectangles) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  LayoutRequest request = events(0, 1, 3);
  request.bytes_per_pixel = 0;
  EXPECT_TRUE(lay_out_active_memory(log, request).rects.empty());
  request.bytes_per_pixel = 1;
  request.rows = 0;
  EXPECT_TRUE(lay_out_active_memory(log, request).rects.empty());
  request.rows = 10;
  request.bottom = 100;
  EXPECT_TRUE(lay_out_active_memory(log, request).rects.empty());
}

TEST(ActiveMemoryLayout, the_time_axis_holds_a_state_until_the_next_event) {
  AllocationLog log;
  log.append(alloc(1000, 0xA, 100));
  log.append(alloc(1060, 0xB, 50));
  log.append(free(1099, 0xA));
  LayoutRequest request = events(-20, 120, 14);  // 10 ns a column
  request.axis = Axis::time;
  const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  EXPECT_EQ(layout.columns[1].event, kNone) << "before the first event";
  EXPECT_EQ(layout.columns[2].bytes, 100);
  EXPECT_EQ(layout.columns[7].bytes, 100);
  EXPECT_EQ(layout.columns[8].bytes, 150);
  EXPECT_EQ(layout.columns[11].bytes, 150) << "the column in which A dies begins with both";
  EXPECT_EQ(layout.columns[12].event, kNone) << "the log ends at 99 ns";
  const auto lowest = std::ranges::find(layout.rects, 0, &StackRect::row_begin);
  ASSERT_NE(lowest, layout.rects.end());
  expect_rect(*lowest, 2, 12, 0, 100, 0);
}

TEST(ActiveMemoryLayout, a_peak_of_no_duration_on_the_edge_of_a_column_is_shown) {
  AllocationLog log;
  log.append(alloc(1000, 0xA, 100));
  log.append(alloc(1010, 0xB, 50));
  log.append(free(1010, 0xB));
  log.append(free(1015, 0xA));
  LayoutRequest request = events(0, 20, 2);  // 10 ns a column
  request.axis = Axis::time;
  const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  EXPECT_EQ(layout.columns[0].bytes, 100);
  EXPECT_EQ(layout.columns[1].bytes, 150);
}

TEST(ActiveMemoryLayout, many_columns_in_one_event_show_it) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(alloc(2, 0xB, 50));
  log.append(free(3, 0xA));
  const ActiveMemoryLayout layout = lay_out_active_memory(log, events(1.25, 1.75, 100));
  ASSERT_EQ(layout.rects.size(), 2U);
  expect_rect(layout.rects[0], 0, 100, 0, 100, 0);
  expect_rect(layout.rects[1], 0, 100, 100, 150, 1);
}

}  // namespace
}  // namespace ts::memory
