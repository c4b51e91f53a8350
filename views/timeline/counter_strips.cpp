#include "views/timeline/counter_strips.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"

namespace ts::views {
namespace {

using trace_file::Counter;
using trace_file::CounterPoint;

std::string name_of(const Counter& counter, const base::StringTable& strings, bool several) {
  std::string name(strings.view(counter.name));
  const std::string_view series = strings.view(counter.series);
  if (!series.empty() && series != name) name.append(": ").append(series);
  if (several) name.append(" (").append(counter.process).append(")");
  return name;
}

CounterStrip strip_of(const Counter& counter) {
  const auto [least, most] = std::ranges::minmax_element(counter.points, {}, &CounterPoint::value);
  CounterStrip strip;
  strip.least = least->value;
  strip.most = most->value;
  const double low = std::min(strip.least, 0.0);
  // Halves: the difference of two doubles may have no room.
  const double half = strip.most / 2 - low / 2;
  for (const CounterPoint& point : counter.points) {
    const double part = half > 0 ? (point.value / 2 - low / 2) / half : 0;
    strip.points.push_back({point.time_ns, std::llround(part * CounterStrip::kTop)});
  }
  return strip;
}

}  // namespace

std::vector<CounterStrip> counter_strips(const std::vector<Counter>& counters,
                                         const base::StringTable& strings) {
  std::vector<CounterStrip> strips;
  const bool several = std::ranges::any_of(counters, [&](const Counter& counter) {
    return counter.process != counters.front().process;
  });
  for (const Counter& counter : counters) {
    if (counter.points.empty()) continue;
    strips.push_back(strip_of(counter));
    strips.back().name = name_of(counter, strings, several);
  }
  return strips;
}

void counter_columns(const CounterStrip& strip, const TimeAxis& axis,
                     std::vector<CounterColumn>& out) {
  counter_columns(strip.points, axis, out);
  const std::int64_t first_ns = strip.points.front().time_ns;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (axis.time_at(axis.x0 + static_cast<float>(i + 1)) > first_ns) break;
    out[i].known = false;
  }
}

std::string counter_text(double value) {
  constexpr double kMostWhole = 1e15;
  if (value == std::round(value) && std::abs(value) < kMostWhole)
    return text::grouped(static_cast<std::int64_t>(value));
  if (std::abs(value) >= kMostWhole || std::abs(value) < 1e-3) return text::plain(value);
  return text::decimal(value, std::abs(value) < 1 ? 3 : 1);
}

}  // namespace ts::views
