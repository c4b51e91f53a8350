#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/cancel.h"
#include "core/memory/allocation_log.h"

namespace ts::memory {

enum class Axis : std::uint8_t { event, time };

// The part of the log to lay out, and its size in pixels.
struct LayoutRequest {
  Axis axis = Axis::event;
  double begin = 0;  // event index, or nanoseconds since the first event
  double end = 1;
  std::int32_t columns = 1;    // pixels
  std::int64_t bottom = 0;     // bytes at the lower edge
  double bytes_per_pixel = 1;  // smaller blocks are not drawn individually
  std::int32_t rows = std::numeric_limits<std::int32_t>::max();  // pixels from the bottom up
  std::uint32_t detail = 0xFFFFFFFFU;  // how many of the largest blocks are drawn individually
  BlockIndex tracked = kNone;          // the block whose places are wanted, however small it is
};

// The blocks that are drawn individually: those of at least a pixel, and of these the `detail`
// largest, the older first among equals.
struct DrawnBlocks {
  std::int64_t least = 0;  // bytes; of exactly so many those with a lower index than `end`
  BlockIndex end = kNone;
  bool limited = false;  // some of at least a pixel are left out
  [[nodiscard]] bool contains(BlockIndex block, std::int64_t size) const {
    return size > least || (size == least && block < end);
  }
};

// A rectangle of the stack: columns [begin, end), rows [begin, end) from the bottom up.
struct StackRect {
  std::int32_t column_begin = 0;
  std::int32_t column_end = 0;
  std::int32_t row_begin = 0;
  std::int32_t row_end = 0;
  BlockIndex block = kNone;    // kNone: of blocks that are not drawn individually
  BlockIndex largest = kNone;  // the block, or the largest of those that it stands for
  Category category = Category::unknown;
};

// Total per column, for the outline: the largest total inside the column and the event it is at, so
// that a peak is never lost to sampling. An event holds from its place on the axis to that of the
// next one (the last: for 1 event, or 1 ns), so the event that a column starts in counts too, even
// if it lies before the column. Of several with the same total it is the first.
struct ColumnTotal {
  std::int64_t bytes = 0;
  EventIndex event = kNone;  // kNone: before the first event, or after the last
};

// Where the tracked block lies: its lower edge in bytes, in columns [begin, end).
struct TrackedPlace {
  std::int32_t column_begin = 0;
  std::int32_t column_end = 0;
  std::int64_t bottom = 0;
};

// The compacting stack of memory_viz, ordered by category from the bottom, inside a category by
// allocation: every live block lies on those below it without gaps. The place of a block does not
// depend on what part of the stack is seen or how large it is. Each column shows the state at its
// largest total. A row belongs to the block that covers its middle. Among blocks that are smaller
// than a pixel it may belong to a neighbour less than a pixel away. Where `detail` leaves out
// blocks, neighbours of one category that are not drawn individually lie in one band.
struct ActiveMemoryLayout {
  std::vector<StackRect> rects;  // by column_end; those of one column share no row
  std::vector<ColumnTotal> columns;
  std::vector<TrackedPlace> tracked;  // by column
  DrawnBlocks drawn;
};

// O(live + events in the range + columns x (live / 64 + rows)). A request without columns, rows or
// range gives no rectangles. Ends early, with a part of the rectangles, when it is cancelled.
ActiveMemoryLayout lay_out_active_memory(const AllocationLog& log, const LayoutRequest& request,
                                         const base::CancelToken& cancel = {});

}  // namespace ts::memory
