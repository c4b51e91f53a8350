#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/stats/queue_depth.h"
#include "views/charts/time_axis.h"
#include "views/charts/totals_index.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Allocated bytes, or queued launches, in one pixel column: minimum, maximum and last value.
struct CounterColumn {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t last = 0;
  bool known = false;  // false before the first event and after the end of the log
};

// The same for a queue, 0 outside its points. O(pixels + points in view).
void counter_columns(std::span<const stats::QueuePoint> points, const TimeAxis& axis,
                     std::vector<CounterColumn>& out);

// One column per pixel of the axis. O(pixels * log n).
void counter_columns(const memory::AllocationLog& log, const TotalsIndex& totals,
                     const TimeAxis& axis, std::vector<CounterColumn>& out);

// Filled area with a line on top; y runs from 0 at the bottom to `top`.
void draw_counter(DrawSink& sink, const Theme& theme, const Rect& area, std::int64_t top,
                  const std::vector<CounterColumn>& columns);

}  // namespace ts::views
