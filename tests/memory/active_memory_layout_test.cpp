#include "core/memory/active_memory_layout.h"

#include <gtest/gtest.h>

#include <limits>

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
                 std::int64_t bottom, std::int64_t top, BlockIndex block) {
  EXPECT_EQ(rect.column_begin, column_begin);
  EXPECT_EQ(rect.column_end, column_end);
  EXPECT_EQ(rect.bottom, bottom);
  EXPECT_EQ(rect.top, top);
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
  StackRect rect;
  ASSERT_TRUE(rect_at(layout, 1, 7776, rect));
  EXPECT_EQ(rect.block, log.events()[log.peak_event()].block);
}

TEST(ActiveMemoryLayout, thin_blocks_and_those_beyond_the_detail_are_a_band) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(alloc(2, 0xB, 3));
  log.append(alloc(3, 0xC, 40));
  log.append(alloc(4, 0xD, 60));
  LayoutRequest request = events(3, 4, 1);
  request.bytes_per_pixel = 4;
  ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 4U);
  expect_rect(layout.rects[3], 0, 1, 200, 203, kNone);

  request.detail = 2;
  layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 3U);
  expect_rect(layout.rects[0], 0, 1, 0, 100, 0);
  expect_rect(layout.rects[1], 0, 1, 100, 160, 3);
  expect_rect(layout.rects[2], 0, 1, 160, 203, kNone);

  request.detail = 0;
  layout = lay_out_active_memory(log, request);
  ASSERT_EQ(layout.rects.size(), 1U);
  expect_rect(layout.rects[0], 0, 1, 0, 203, kNone);
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
  StackRect rect;
  ASSERT_TRUE(rect_at(layout, 5, 0, rect));
  expect_rect(rect, 2, 12, 0, 100, 0);
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
