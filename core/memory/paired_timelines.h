#pragma once

#include <array>
#include <vector>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// Two logs on one axis, so that the same phases of both stand over each other.

// A part of the axis: the events [first, end) of each log share it.
struct PairedPart {
  base::Phase phase = base::Phase::setup;
  struct Events {
    EventIndex first = 0;
    EventIndex end = 0;
  };
  std::array<Events, 2> of;
  double width = 0;  // share of the axis: the mean of its shares of the events of both
};

struct PairedTimelines {
  // One part a phase where one log runs through the first phases of the other; those that only one
  // has are left out. Otherwise one part with all events of both.
  std::vector<PairedPart> parts;
  bool by_phase = false;
};
PairedTimelines pair_timelines(const AllocationLog& a, const AllocationLog& b);

// The largest total that a log reaches in each of `columns` columns of that axis. `side`: 0 is a.
std::vector<std::int64_t> totals_on_axis(const AllocationLog& log, const PairedTimelines& axis,
                                         std::size_t side, std::size_t columns);

}  // namespace ts::memory
