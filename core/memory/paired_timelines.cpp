#include "core/memory/paired_timelines.h"

#include <algorithm>

namespace ts::memory {

namespace {

// Phases without events have no place on the axis.
std::vector<PhaseSpan> with_events(const AllocationLog& log) {
  std::vector<PhaseSpan> spans;
  const auto end = static_cast<EventIndex>(log.events().size());
  for (PhaseSpan span : log.phases()) {
    span.end_event = std::min(span.end_event, end);
    if (span.first_event < span.end_event) spans.push_back(span);
  }
  return spans;
}

double share(const PairedPart::Events& part, const PairedPart::Events& whole) {
  const auto all = static_cast<double>(whole.end - whole.first);
  return all > 0 ? static_cast<double>(part.end - part.first) / all : 0;
}

}  // namespace

PairedTimelines pair_timelines(const AllocationLog& a, const AllocationLog& b) {
  const std::array spans = {with_events(a), with_events(b)};
  const std::size_t common = std::min(spans[0].size(), spans[1].size());
  const bool alike = std::equal(
      spans[0].begin(), spans[0].begin() + static_cast<std::ptrdiff_t>(common), spans[1].begin(),
      [](const PhaseSpan& one, const PhaseSpan& other) { return one.phase == other.phase; });
  PairedTimelines axis;
  axis.by_phase = common > 0 && alike;
  const std::array<const AllocationLog*, 2> logs = {&a, &b};
  std::array<PairedPart::Events, 2> whole;
  for (std::size_t side = 0; side < 2; ++side)
    whole[side].end = static_cast<EventIndex>(logs[side]->events().size());
  if (!axis.by_phase) {
    axis.parts.push_back({base::Phase::idle, whole, 1});
    return axis;
  }
  for (std::size_t i = 0; i < common; ++i) {
    PairedPart part;
    part.phase = spans[0][i].phase;
    for (std::size_t side = 0; side < 2; ++side) {
      // Events between two phases belong to the one before.
      const auto& all = spans[side];
      part.of[side].first = i == 0 ? 0 : all[i].first_event;
      part.of[side].end = i + 1 < common ? all[i + 1].first_event : all[i].end_event;
    }
    axis.parts.push_back(part);
  }
  for (std::size_t side = 0; side < 2; ++side) whole[side].end = axis.parts.back().of[side].end;
  for (PairedPart& part : axis.parts)
    part.width = (share(part.of[0], whole[0]) + share(part.of[1], whole[1])) / 2;
  return axis;
}

std::vector<std::int64_t> totals_on_axis(const AllocationLog& log, const PairedTimelines& axis,
                                         std::size_t side, std::size_t columns) {
  std::vector<std::int64_t> totals(columns, 0);
  if (columns == 0) return totals;
  const auto events = log.events();
  double begin = 0;
  for (const PairedPart& part : axis.parts) {
    const PairedPart::Events of = part.of[side];
    const auto count = static_cast<double>(of.end - of.first);
    const auto column_of = [&](double place) {
      return std::min(static_cast<std::size_t>(place * static_cast<double>(columns)), columns - 1);
    };
    // The total before the part, then every event up to the place of the next one.
    std::int64_t total = of.first > 0 ? events[of.first - 1].total_after : 0;
    std::size_t from = column_of(begin);
    for (EventIndex event = of.first; event <= of.end; ++event) {
      const double place =
          count > 0 ? begin + part.width * static_cast<double>(event - of.first) / count : begin;
      const std::size_t to = column_of(event == of.end ? begin + part.width : place);
      for (std::size_t column = from; column <= to; ++column)
        totals[column] = std::max(totals[column], total);
      from = to;
      if (event < of.end) total = events[event].total_after;
    }
    begin += part.width;
  }
  return totals;
}

}  // namespace ts::memory
