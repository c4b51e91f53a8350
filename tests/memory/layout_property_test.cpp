#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "core/memory/active_memory_layout.h"
#include "tests/memory/layout_reference.h"
#include "tests/memory/random_log.h"

namespace ts::memory {
namespace {

using Cell = testing::ReferenceLayout::Cell;

std::vector<std::vector<Cell>> cells_of(const ActiveMemoryLayout& layout) {
  std::vector<std::vector<Cell>> cells(layout.columns.size());
  for (const StackRect& rect : layout.rects) {
    for (std::int32_t column = rect.column_begin; column < rect.column_end; ++column) {
      cells[static_cast<std::size_t>(column)].push_back(
          {rect.bottom, rect.top, rect.block, rect.category});
    }
  }
  for (auto& column : cells) {
    std::sort(column.begin(), column.end(),
              [](const Cell& a, const Cell& b) { return a.bottom < b.bottom; });
  }
  return cells;
}

LayoutRequest random_request(std::mt19937& random, const AllocationLog& log) {
  const auto below = [&](std::uint32_t end) { return random() % end; };
  LayoutRequest request;
  request.axis = below(2) == 0 ? Axis::event : Axis::time;
  const double length = request.axis == Axis::event
                            ? static_cast<double>(log.events().size())
                            : static_cast<double>(log.time_range().length());
  const double a = length * (static_cast<double>(below(1400)) - 200) / 1000;
  const double b = length * (static_cast<double>(below(1400)) - 200) / 1000;
  request.begin = std::min(a, b);
  request.end = std::max(a, b) + 0.5;
  request.columns = static_cast<std::int32_t>(1 + below(60));
  const std::array<double, 5> thickness = {0, 1, 300, 5000, 1e9};
  request.bytes_per_pixel = thickness[below(5)];
  const std::array<std::uint32_t, 4> details = {0, 3, 20, 15000};
  request.detail = details[below(4)];
  return request;
}

class LayoutProperty : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LayoutProperty, agrees_with_the_definition_while_the_log_grows) {
  std::mt19937 random(GetParam());
  testing::RandomRecords source(GetParam());
  AllocationLog log;
  for (int round = 0; round < 25; ++round) {
    for (int i = 0; i < 60; ++i) log.append(source.next());
    const LayoutRequest request = random_request(random, log);
    const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
    const testing::ReferenceLayout reference = testing::reference_layout(log, request);
    const auto cells = cells_of(layout);
    ASSERT_EQ(layout.columns.size(), reference.columns.size());
    for (std::size_t column = 0; column < cells.size(); ++column) {
      ASSERT_EQ(layout.columns[column].event, reference.columns[column].event) << column;
      ASSERT_EQ(layout.columns[column].bytes, reference.columns[column].bytes) << column;
      ASSERT_EQ(cells[column], reference.cells[column]) << column;
    }
  }
}

TEST_P(LayoutProperty, columns_are_filled_to_their_totals) {
  std::mt19937 random(GetParam());
  const AllocationLog log = testing::random_log(GetParam(), 6'000);
  for (int round = 0; round < 10; ++round) {
    LayoutRequest request = random_request(random, log);
    request.columns = 400;
    const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
    const auto cells = cells_of(layout);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      std::int64_t top = 0;
      for (const Cell& cell : cells[column]) {
        ASSERT_EQ(cell.bottom, top);
        ASSERT_GT(cell.top, cell.bottom);
        top = cell.top;
      }
      ASSERT_EQ(top, layout.columns[column].bytes);
    }
  }
}

TEST_P(LayoutProperty, no_sampling_loses_the_peak) {
  const AllocationLog log = testing::random_log(GetParam(), 6'000);
  for (const Axis axis : {Axis::event, Axis::time}) {
    for (std::int32_t columns = 1; columns < 3000; columns += 1 + columns / 3) {
      LayoutRequest whole;
      whole.axis = axis;
      whole.end =
          static_cast<double>(axis == Axis::event ? static_cast<std::int64_t>(log.events().size())
                                                  : log.time_range().length());
      whole.columns = columns;
      std::int64_t highest = 0;
      for (const ColumnTotal& column : lay_out_active_memory(log, whole).columns) {
        highest = std::max(highest, column.bytes);
      }
      ASSERT_EQ(highest, log.peak_bytes()) << columns;
    }
  }
}

TEST_P(LayoutProperty, what_keeps_its_place_is_one_rectangle) {
  const AllocationLog log = testing::random_log(GetParam(), 3'000);
  LayoutRequest request;
  request.end = static_cast<double>(log.events().size());
  request.columns = 500;
  const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  EXPECT_TRUE(std::is_sorted(
      layout.rects.begin(), layout.rects.end(),
      [](const StackRect& a, const StackRect& b) { return a.column_end < b.column_end; }));
  using Key = std::tuple<BlockIndex, Category, std::int64_t, std::int64_t, std::int32_t>;
  std::map<Key, int> begins;
  for (const StackRect& rect : layout.rects) {
    ++begins[{rect.block, rect.category, rect.bottom, rect.top, rect.column_begin}];
  }
  for (const StackRect& rect : layout.rects) {
    ASSERT_FALSE(
        begins.contains({rect.block, rect.category, rect.bottom, rect.top, rect.column_end}));
  }
}

TEST_P(LayoutProperty, rect_at_agrees_with_a_linear_scan) {
  std::mt19937 random(GetParam());
  const AllocationLog log = testing::random_log(GetParam(), 4'000);
  LayoutRequest request;
  request.end = static_cast<double>(log.events().size());
  request.columns = 300;
  request.bytes_per_pixel = 500;
  const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  const auto peak = static_cast<std::uint32_t>(log.peak_bytes());
  for (int i = 0; i < 2'000; ++i) {
    const auto column = static_cast<std::int32_t>(random() % 320) - 10;
    const auto bytes = static_cast<std::int64_t>(random() % (peak + peak / 10)) - peak / 20;
    const StackRect* expected = nullptr;
    for (const StackRect& rect : layout.rects) {
      if (rect.column_begin <= column && column < rect.column_end && rect.bottom <= bytes &&
          bytes < rect.top) {
        expected = &rect;
      }
    }
    StackRect found;
    ASSERT_EQ(rect_at(layout, column, bytes, found), expected != nullptr);
    if (expected == nullptr) continue;
    ASSERT_EQ(found.block, expected->block);
    ASSERT_EQ(found.category, expected->category);
    ASSERT_EQ(found.bottom, expected->bottom);
    ASSERT_EQ(found.column_begin, expected->column_begin);
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, LayoutProperty, ::testing::Range(1U, 11U));

}  // namespace
}  // namespace ts::memory
