#pragma once

#include <cstdint>
#include <span>

#include "core/memory/active_memory_layout.h"
#include "views/charts/ticks.h"
#include "views/charts/time_axis.h"

namespace ts::views {

// The x axis of the memory view in whole numbers, so that zoom and pan work as in the timeline:
// nanoseconds since the first event, or thousandths of an event.
inline constexpr std::int64_t kEventUnit = 1000;

struct MemoryAxis {
  memory::Axis kind = memory::Axis::time;
  TimeAxis axis;  // in those whole numbers
};

// Place of a time on the axis. The event axis interpolates between two events.
std::int64_t place_of_time(const memory::AllocationLog& log, memory::Axis kind,
                           std::int64_t time_ns);
std::int64_t place_of_event(const memory::AllocationLog& log, memory::Axis kind,
                            memory::EventIndex event);
// The inverse of place_of_time, limited to the log.
std::int64_t time_of_place(const memory::AllocationLog& log, memory::Axis kind, std::int64_t place);
// Last event at or before a place; kNone before the first.
memory::EventIndex event_of_place(const memory::AllocationLog& log, memory::Axis kind,
                                  std::int64_t place);
// The full range, from the first event to after the last.
base::TimeRange all_places(const memory::AllocationLog& log, memory::Axis kind);

// Ticks of the event axis at whole numbers of the list, see MemorySource::event_numbers. Positions
// are places.
Ticks event_ticks(base::TimeRange places, std::span<const std::uint32_t> numbers, float pixels,
                  float apart_px);

memory::LayoutRequest request_for(const MemoryAxis& axis, double bytes_per_pixel,
                                  std::uint32_t detail);

}  // namespace ts::views
