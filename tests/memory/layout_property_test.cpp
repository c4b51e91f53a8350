#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "core/memory/active_memory_layout.h"
#include "core/memory/stack_column.h"
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
          {rect.row_begin, rect.row_end, rect.block, rect.largest, rect.category});
    }
  }
  for (auto& column : cells) {
    std::sort(column.begin(), column.end(),
              [](const Cell& a, const Cell& b) { return a.row_begin < b.row_begin; });
  }
  return cells;
}

const Cell* cell_at(const std::vector<Cell>& cells, std::int32_t row) {
  const auto found = std::ranges::find_if(
      cells, [row](const Cell& cell) { return cell.row_begin <= row && row < cell.row_end; });
  return found == cells.end() ? nullptr : &*found;
}

// The lower edge of the tracked block by column; -1: it is not there.
std::vector<std::int64_t> tracked_of(const ActiveMemoryLayout& layout) {
  std::vector<std::int64_t> places(layout.columns.size(), -1);
  for (const TrackedPlace& place : layout.tracked) {
    for (std::int32_t column = place.column_begin; column < place.column_end; ++column) {
      places[static_cast<std::size_t>(column)] = place.bottom;
    }
  }
  return places;
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
  const std::array<double, 4> thickness = {1, 300, 5000, 1e9};
  request.bytes_per_pixel = thickness[below(4)];
  if (below(2) == 0) {
    request.rows = static_cast<std::int32_t>(1 + below(400));
    request.bottom = static_cast<std::int64_t>(below(100)) * log.peak_bytes() / 80;
  }
  request.tracked =
      static_cast<BlockIndex>(below(static_cast<std::uint32_t>(log.blocks().size()) + 1));
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
    ASSERT_EQ(tracked_of(layout), reference.tracked);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      ASSERT_EQ(layout.columns[column].event, reference.columns[column].event) << column;
      ASSERT_EQ(layout.columns[column].bytes, reference.columns[column].bytes) << column;
      const auto& wanted = reference.cells[column];
      const StackColumn stack(log, layout.columns[column].event);
      // Row by row: in place of a block smaller than a pixel may stand a neighbour.
      for (std::int32_t row = 0; row < 700; ++row) {
        const Cell* const cell = cell_at(cells[column], row);
        const Cell* const expected = cell_at(wanted, row);
        ASSERT_EQ(cell == nullptr, expected == nullptr) << column;
        if (cell == nullptr) break;
        ASSERT_EQ(cell->block, expected->block) << column;
        ASSERT_EQ(cell->category, expected->category) << column;
        if (cell->largest == expected->largest) continue;
        // The part of a band outside the view may be left out, and with it its largest block.
        const bool below = expected->row_begin == 0 && request.bottom > 0;
        const bool above = expected->row_end == request.rows;
        if (layout.drawn.limited && (below || above)) continue;
        ASSERT_EQ(cell->block, kNone);
        ASSERT_FALSE(layout.drawn.limited);
        const double middle = static_cast<double>(request.bottom) +
                              (static_cast<double>(row) + 0.5) * request.bytes_per_pixel;
        bool close = false;
        for (double at = -1; at <= 1; at += 1.0 / 512) {
          const auto place = stack.at(
              log, layout.drawn, static_cast<std::int64_t>(middle + at * request.bytes_per_pixel));
          close = close || (place && place->block == cell->largest);
        }
        ASSERT_TRUE(close) << column;
      }
    }
  }
}

TEST_P(LayoutProperty, columns_are_filled_to_their_totals) {
  std::mt19937 random(GetParam());
  const AllocationLog log = testing::random_log(GetParam(), 6'000);
  for (int round = 0; round < 10; ++round) {
    LayoutRequest request = random_request(random, log);
    request.columns = 400;
    request.bytes_per_pixel = std::max(request.bytes_per_pixel, 1.0);
    request.bottom = 0;
    request.rows = std::numeric_limits<std::int32_t>::max();
    const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
    const auto cells = cells_of(layout);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      std::int32_t top = 0;
      for (const Cell& cell : cells[column]) {
        ASSERT_EQ(cell.row_begin, top);
        ASSERT_GT(cell.row_end, cell.row_begin);
        top = cell.row_end;
      }
      const double rows =
          static_cast<double>(layout.columns[column].bytes) / request.bytes_per_pixel;
      ASSERT_EQ(top, static_cast<std::int32_t>(std::round(rows)));
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
  using Key = std::tuple<BlockIndex, BlockIndex, Category, int, int, int>;
  std::map<Key, int> begins;
  for (const StackRect& rect : layout.rects) {
    ++begins[{rect.block, rect.largest, rect.category, rect.row_begin, rect.row_end,
              rect.column_begin}];
  }
  for (const StackRect& rect : layout.rects) {
    ASSERT_FALSE(begins.contains(
        {rect.block, rect.largest, rect.category, rect.row_begin, rect.row_end, rect.column_end}));
  }
}

// The block under the mouse is the one drawn there, and every block can be found.
TEST_P(LayoutProperty, the_column_finds_each_block_where_it_is_drawn) {
  const AllocationLog log = testing::random_log(GetParam(), 4'000);
  LayoutRequest request;
  request.end = static_cast<double>(log.events().size());
  request.columns = 60;
  request.bytes_per_pixel = 500;
  request.detail = GetParam() % 2 == 0 ? 20 : 0xFFFFFFFFU;
  const ActiveMemoryLayout layout = lay_out_active_memory(log, request);
  for (const StackRect& rect : layout.rects) {
    const StackColumn column(log,
                             layout.columns[static_cast<std::size_t>(rect.column_begin)].event);
    for (std::int32_t row = rect.row_begin; row < rect.row_end; ++row) {
      const auto place = column.at(log, layout.drawn, std::int64_t{row} * 500 + 249);
      ASSERT_TRUE(place);
      ASSERT_EQ(place->drawn, rect.block != kNone);
      if (place->drawn) {
        ASSERT_EQ(place->block, rect.block);
      } else {
        ASSERT_EQ(log.blocks()[place->block].category, rect.category);
      }
    }
  }
  const EventIndex event = log.peak_event();
  const StackColumn column(log, event);
  std::int64_t sum = 0;
  for (const BlockIndex block : log.live_after(event)) {
    sum += log.blocks()[block].size;
  }
  EXPECT_FALSE(column.at(log, layout.drawn, -1));
  EXPECT_FALSE(column.at(log, layout.drawn, sum));
  std::set<BlockIndex> found;
  for (std::int64_t bytes = 0; bytes < sum;) {
    const auto place = column.at(log, layout.drawn, bytes);
    ASSERT_TRUE(place);
    ASSERT_EQ(place->bottom, bytes);
    found.insert(place->block);
    bytes = place->top;
  }
  for (const BlockIndex block : log.live_after(event)) {
    ASSERT_EQ(found.contains(block), log.blocks()[block].size > 0);
  }
}

TEST_P(LayoutProperty, a_cancel_ends_it) {
  const AllocationLog log = testing::random_log(GetParam(), 4'000);
  LayoutRequest request;
  request.end = static_cast<double>(log.events().size());
  request.columns = 300;
  const base::CancelToken cancel;
  cancel.cancel();
  EXPECT_TRUE(lay_out_active_memory(log, request, cancel).rects.empty());
}

INSTANTIATE_TEST_SUITE_P(seeds, LayoutProperty, ::testing::Range(1U, 11U));

}  // namespace
}  // namespace ts::memory
