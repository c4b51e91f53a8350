#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/allocation_log.h"

namespace ts::memory {

enum class Axis : std::uint8_t { event, time };

// The part of the log to lay out, and the number of columns.
struct LayoutRequest {
  Axis axis = Axis::event;
  double begin = 0;  // event index, or nanoseconds since the first event
  double end = 1;
  std::int32_t columns = 1;      // pixels
  double bytes_per_pixel = 1;    // rows thinner than a pixel join their category's band
  std::uint32_t detail = 15000;  // how many of the largest blocks are drawn individually
};

// A rectangle of the stack: columns [begin, end), bytes [bottom, top).
struct StackRect {
  std::int32_t column_begin = 0;
  std::int32_t column_end = 0;
  std::int64_t bottom = 0;
  std::int64_t top = 0;
  BlockIndex block = kNone;  // kNone: the band of all blocks of `category` not drawn individually
  Category category = Category::unknown;
};

// Total per column, for the outline: the largest total inside the column and its event, so that
// sampling never loses a peak. An event covers its place on the axis up to that of the next one
// (the last event: 1 event, or 1 ns), so the event that covers the start of a column counts too,
// even if it lies before the column. Among equal totals the first event is chosen.
struct ColumnTotal {
  std::int64_t bytes = 0;
  EventIndex event = kNone;  // kNone: before the first event, or after the last
};

// The compacting stack of memory_viz, ordered by category from the bottom: every live block is
// placed on those below it without gaps. Each column shows the state at its largest total. Inside a
// category blocks are in the order of their allocation, with the band on top. A block that keeps
// its place over several columns is one rectangle.
struct ActiveMemoryLayout {
  std::vector<StackRect> rects;  // by column_end; those of one column fill [0, total]
  std::vector<ColumnTotal> columns;
};

// O(live + events in the range + rectangles). A request without columns or range gives no
// rectangles.
ActiveMemoryLayout lay_out_active_memory(const AllocationLog& log, const LayoutRequest& request);

// The block under (column, bytes) of a layout; kNone for the band. Returns false if none is there.
bool rect_at(const ActiveMemoryLayout& layout, std::int32_t column, std::int64_t bytes,
             StackRect& out);

}  // namespace ts::memory
