#include "views/memory/time_map.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"
#include "views/common/marks.h"

namespace ts::views {

void TimeMap::update(const memory::AllocationLog& log, const TotalsIndex& totals,
                     const MemoryAxis& axis) {
  const auto pixels = static_cast<std::size_t>(axis.axis.pixels());
  if (events_ == totals.size() && most_of_.size() == pixels && axis_.kind == axis.kind &&
      axis_.axis.range == axis.axis.range)
    return;
  axis_ = axis;
  events_ = totals.size();
  most_of_.assign(pixels, 0);
  if (events_ == 0) return;
  const auto event_at = [&](std::size_t pixel) {
    const std::int64_t place = axis.axis.time_at(axis.axis.x0 + static_cast<float>(pixel));
    const memory::EventIndex event = event_of_place(log, axis.kind, place);
    return event == memory::kNone ? 0 : std::min(event, events_ - 1);
  };
  std::uint32_t first = event_at(0);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const std::uint32_t last = event_at(pixel + 1);
    most_of_[pixel] = totals.over(log.events(), first, last + 1).most;
    first = last;
  }
}

void TimeMap::draw(DrawSink& sink, const Theme& theme, const Rect& area,
                   base::TimeRange visible) const {
  if (most_of_.empty()) return;
  const double most =
      static_cast<double>(std::max<std::int64_t>(*std::ranges::max_element(most_of_), 1));
  sink.fill(area, theme.surface2);
  const auto top_of = [&](std::size_t pixel) {
    const double part = static_cast<double>(most_of_[pixel]) / most;
    return std::round(area.y1 - static_cast<float>(part) * area.height());
  };
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= most_of_.size(); ++i) {
    if (i < most_of_.size() && top_of(i) == top_of(begin)) continue;
    sink.fill({area.x0 + static_cast<float>(begin), top_of(begin),
               std::min(area.x1, area.x0 + static_cast<float>(i)), area.y1},
              mixed(theme.surface, theme.text3, 0.7F));
    begin = i;
  }
  const TimeAxis axis{axis_.axis.range, area.x0, area.x1};
  draw_brush(sink, theme, area, axis.x_of(visible.begin), axis.x_of(visible.end));
}

}  // namespace ts::views
