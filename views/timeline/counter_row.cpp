#include "views/timeline/counter_row.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {

void counter_columns(const memory::AllocationLog& log, const TotalsIndex& totals,
                     const TimeAxis& axis, std::vector<CounterColumn>& out) {
  out.assign(static_cast<std::size_t>(axis.pixels()), {});
  const auto events = log.events();
  const std::uint32_t count = std::min(totals.size(), static_cast<std::uint32_t>(events.size()));
  if (count == 0) return;
  const std::int64_t last_ns = events[count - 1].time_ns;
  std::int64_t begin_ns = axis.time_at(axis.x0);
  std::uint32_t next = 0;  // first event not before the column
  const auto skip_to = [&](std::int64_t time_ns) {
    const auto from = events.begin() + next;
    const auto found = std::partition_point(
        from, events.begin() + count, [&](const auto& event) { return event.time_ns < time_ns; });
    next = static_cast<std::uint32_t>(found - events.begin());
  };
  skip_to(begin_ns);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t end_ns = axis.time_at(axis.x0 + static_cast<float>(i + 1));
    const std::uint32_t first = next;
    if (first < count) skip_to(end_ns);
    CounterColumn& column = out[i];
    if (next > first) {
      // The value at the start of the column also counts.
      const auto range = totals.over(events, first > 0 ? first - 1 : first, next);
      column = {range.least, range.most, events[next - 1].total_after, true};
    } else if (next > 0 && begin_ns <= last_ns) {
      const std::int64_t value = events[next - 1].total_after;
      column = {value, value, value, true};
    }
    begin_ns = end_ns;
  }
}

void counter_columns(std::span<const stats::QueuePoint> points, const TimeAxis& axis,
                     std::vector<CounterColumn>& out) {
  out.assign(static_cast<std::size_t>(axis.pixels()), {});
  auto next =
      std::ranges::lower_bound(points, axis.time_at(axis.x0), {}, &stats::QueuePoint::time_ns);
  std::int64_t value = next == points.begin() ? 0 : std::prev(next)->depth;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t end_ns = axis.time_at(axis.x0 + static_cast<float>(i + 1));
    CounterColumn& column = out[i];
    column = {value, value, value, true};
    for (; next != points.end() && next->time_ns < end_ns; ++next) {
      value = next->depth;
      column.least = std::min(column.least, value);
      column.most = std::max(column.most, value);
      column.last = value;
    }
  }
}

void draw_counter(DrawSink& sink, const Theme& theme, const Rect& area, std::int64_t top,
                  const std::vector<CounterColumn>& columns) {
  const double per_byte =
      static_cast<double>(area.height()) / static_cast<double>(std::max<std::int64_t>(top, 1));
  const auto y_of = [&](std::int64_t bytes) {
    const float y = area.y1 - static_cast<float>(static_cast<double>(bytes) * per_byte);
    return std::clamp(std::round(y), area.y0, area.y1 - 1);
  };
  struct Run {
    float x0, x1, high, low;
  };
  Run run{area.x0, area.x0, 0, 0};
  const Color area_color = mixed(theme.surface, theme.surface3, 0.75F);
  const auto flush = [&] {
    if (run.x1 <= run.x0) return;
    if (run.low + 1 < area.y1) sink.fill({run.x0, run.low + 1, run.x1, area.y1}, area_color);
    sink.fill({run.x0, run.high, run.x1, run.low + 1}, theme.text2);
    run.x1 = run.x0;
  };
  const auto most = static_cast<std::size_t>(std::max(0.0F, area.width()));
  for (std::size_t i = 0; i < std::min(columns.size(), most); ++i) {
    const CounterColumn& column = columns[i];
    const float x = area.x0 + static_cast<float>(i);
    if (!column.known) {
      flush();
      continue;
    }
    const Run one{x, x + 1, y_of(column.most), y_of(column.least)};
    if (run.x1 == x && run.high == one.high && run.low == one.low) {
      run.x1 = x + 1;
      continue;
    }
    flush();
    run = one;
  }
  flush();
}

}  // namespace ts::views
