#include "core/memory/column_samples.h"

#include <cmath>

namespace ts::memory {

namespace {

// `position(i)` is the place of event i on the axis, ascending with i; the data end at `data_end`.
template <class Position>
void sample(std::span<const Event> events, const LayoutRequest& request, double data_end,
            const Position& position, std::vector<ColumnTotal>& out) {
  const double width = (request.end - request.begin) / request.columns;
  const auto edge = [&](std::int32_t column) { return request.begin + width * column; };

  // The first event at or after the left edge, by bisection: the range may begin far into the log.
  std::size_t next = 0;
  for (std::size_t high = events.size(); next < high;) {
    const std::size_t middle = next + (high - next) / 2;
    if (position(middle) < request.begin) {
      next = middle + 1;
    } else {
      high = middle;
    }
  }
  for (std::int32_t column = 0; column < request.columns; ++column) {
    const double begin = edge(column);
    const double end = edge(column + 1);
    if (begin >= data_end) return;
    while (next < events.size() && position(next) < begin) ++next;
    const bool starts_here = next < events.size() && position(next) == begin;
    std::size_t best = next - 1;
    if (next == 0 || starts_here) {
      if (position(next) >= end) continue;
      best = next;
    }
    for (; next < events.size() && position(next) < end; ++next) {
      if (events[next].total_after > events[best].total_after) best = next;
    }
    out[static_cast<std::size_t>(column)] = {events[best].total_after,
                                             static_cast<EventIndex>(best)};
  }
}

}  // namespace

std::vector<ColumnTotal> sample_columns(const AllocationLog& log, const LayoutRequest& request) {
  if (request.columns <= 0) return {};
  std::vector<ColumnTotal> out(static_cast<std::size_t>(request.columns));
  const auto events = log.events();
  const bool usable = std::isfinite(request.begin) && std::isfinite(request.end);
  if (events.empty() || !usable || request.end <= request.begin) return out;
  if (request.axis == Axis::event) {
    sample(
        events, request, static_cast<double>(events.size()),
        [](std::size_t event) { return static_cast<double>(event); }, out);
    return out;
  }
  const std::int64_t first = events.front().time_ns;
  sample(
      events, request, static_cast<double>(log.time_range().length()),
      [&](std::size_t event) { return static_cast<double>(events[event].time_ns - first); }, out);
  return out;
}

}  // namespace ts::memory
