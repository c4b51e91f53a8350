#include "views/memory/memory_axis.h"

#include <algorithm>

namespace ts::views {

using memory::Axis;

std::int64_t place_of_event(const memory::AllocationLog& log, Axis kind, memory::EventIndex event) {
  if (kind == Axis::event) return std::int64_t{event} * kEventUnit;
  const auto events = log.events();
  if (events.empty()) return 0;
  const std::size_t index = std::min<std::size_t>(event, events.size() - 1);
  return events[index].time_ns - events[0].time_ns;
}

std::int64_t place_of_time(const memory::AllocationLog& log, Axis kind, std::int64_t time_ns) {
  const auto events = log.events();
  if (events.empty()) return 0;
  if (kind == Axis::time) return time_ns - events[0].time_ns;
  const memory::EventIndex event = log.event_at(time_ns);
  if (event == memory::kNone) return 0;
  const std::int64_t place = std::int64_t{event} * kEventUnit;
  if (event + 1 >= events.size()) return place + (time_ns > events[event].time_ns ? kEventUnit : 0);
  const std::int64_t gap = events[event + 1].time_ns - events[event].time_ns;
  if (gap <= 0) return place;
  const double part =
      static_cast<double>(time_ns - events[event].time_ns) / static_cast<double>(gap);
  return place + static_cast<std::int64_t>(part * static_cast<double>(kEventUnit));
}

std::int64_t time_of_place(const memory::AllocationLog& log, Axis kind, std::int64_t place) {
  const auto events = log.events();
  if (events.empty()) return 0;
  if (kind == Axis::time) return events[0].time_ns + place;
  const auto last = static_cast<std::int64_t>(events.size()) - 1;
  const std::int64_t event = std::clamp(place / kEventUnit, std::int64_t{0}, last);
  const std::int64_t time = events[static_cast<std::size_t>(event)].time_ns;
  if (event == last) return time + (place > last * kEventUnit ? 1 : 0);
  const std::int64_t gap = events[static_cast<std::size_t>(event) + 1].time_ns - time;
  const double part = static_cast<double>(std::max<std::int64_t>(0, place - event * kEventUnit)) /
                      static_cast<double>(kEventUnit);
  return time + static_cast<std::int64_t>(part * static_cast<double>(gap));
}

memory::EventIndex event_of_place(const memory::AllocationLog& log, Axis kind, std::int64_t place) {
  const auto events = log.events();
  if (events.empty() || place < 0) return memory::kNone;
  if (kind == Axis::time) return log.event_at(events[0].time_ns + place);
  const auto last = static_cast<std::int64_t>(events.size()) - 1;
  return static_cast<memory::EventIndex>(std::min(place / kEventUnit, last));
}

base::TimeRange all_places(const memory::AllocationLog& log, Axis kind) {
  const auto events = log.events();
  if (events.empty()) return {};
  if (kind == Axis::event) return {0, static_cast<std::int64_t>(events.size()) * kEventUnit};
  return {0, events.back().time_ns - events[0].time_ns + 1};
}

namespace {

double number_at(std::int64_t place, std::span<const std::uint32_t> numbers) {
  const double event = static_cast<double>(place) / kEventUnit;
  if (numbers.empty()) return event;
  const auto index = static_cast<std::size_t>(std::max(event, 0.0));
  // After the last event numbers go on as events do.
  return index < numbers.size() ? numbers[index]
                                : static_cast<double>(numbers.back()) + 1 + event -
                                      static_cast<double>(numbers.size());
}

// The place of the last event with that number or a smaller one.
double place_of_number(double number, std::span<const std::uint32_t> numbers) {
  double event = number;
  if (!numbers.empty()) {
    const auto after = std::ranges::upper_bound(numbers, number);
    event = std::max(0.0, static_cast<double>(after - numbers.begin()) - 1);
    if (after == numbers.end()) event += number - static_cast<double>(numbers.back());
  }
  return event * static_cast<double>(kEventUnit);
}

}  // namespace

Ticks event_ticks(base::TimeRange places, std::span<const std::uint32_t> numbers, float pixels,
                  float apart_px) {
  Ticks ticks = count_ticks(number_at(places.begin, numbers), number_at(places.end, numbers),
                            pixels, apart_px);
  for (Tick& tick : ticks.ticks) tick.position = place_of_number(tick.position, numbers);
  return ticks;
}

memory::LayoutRequest request_for(const MemoryAxis& axis, double bytes_per_pixel,
                                  std::uint32_t detail) {
  const double unit = axis.kind == Axis::event ? static_cast<double>(kEventUnit) : 1.0;
  memory::LayoutRequest request;
  request.axis = axis.kind;
  request.begin = static_cast<double>(axis.axis.range.begin) / unit;
  request.end = static_cast<double>(axis.axis.range.end) / unit;
  request.columns = axis.axis.pixels();
  request.bytes_per_pixel = bytes_per_pixel;
  request.detail = detail;
  return request;
}

}  // namespace ts::views
