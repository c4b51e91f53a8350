#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/stats/queue_depth.h"
#include "core/trace_file/trace_file.h"
#include "views/charts/time_axis.h"
#include "views/timeline/counter_row.h"

namespace ts::views {

// A counter of a trace as a strip of the timeline. The strip goes from 0, or from the least value
// if that is negative, to the most.
struct CounterStrip {
  std::string name;  // "GPU Util: SM"
  double least = 0;
  double most = 0;
  std::vector<stats::QueuePoint> points;  // the depth is the place in the strip, 0 to kTop
  static constexpr std::int64_t kTop = 1'000'000;
};

// One for each counter that has points, in their order. Those of several processes have theirs
// behind the name.
std::vector<CounterStrip> counter_strips(const std::vector<trace_file::Counter>& counters,
                                         const base::StringTable& strings);

// The columns of a strip; those before its first point are not known. O(pixels + points in view).
void counter_columns(const CounterStrip& strip, const TimeAxis& axis,
                     std::vector<CounterColumn>& out);

// "4" or "75.5": at most three decimals.
std::string counter_text(double value);

}  // namespace ts::views
