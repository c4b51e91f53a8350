#include "views/charts/viewport.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

std::int64_t scaled(std::int64_t value, double factor) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(value) * factor));
}

}  // namespace

base::TimeRange clamped(base::TimeRange view, base::TimeRange bounds) {
  const std::int64_t most = std::max<std::int64_t>(bounds.length(), 1);
  const std::int64_t least = std::min(kShortestView, most);
  const std::int64_t length = std::clamp(view.length(), least, most);
  const std::int64_t begin = std::clamp(view.begin, bounds.begin, bounds.begin + most - length);
  return {begin, begin + length};
}

base::TimeRange zoomed(base::TimeRange view, std::int64_t anchor_ns, double factor,
                       base::TimeRange bounds) {
  const std::int64_t most = std::max<std::int64_t>(bounds.length(), 1);
  const std::int64_t least = std::min(kShortestView, most);
  const std::int64_t anchor = std::clamp(anchor_ns, view.begin, std::max(view.begin, view.end));
  const std::int64_t old_length = std::max<std::int64_t>(view.length(), 1);
  const std::int64_t length = std::clamp(scaled(old_length, factor), least, most);
  const double place = static_cast<double>(anchor - view.begin) / static_cast<double>(old_length);
  const std::int64_t begin = anchor - scaled(length, place);
  return clamped({begin, begin + length}, bounds);
}

base::TimeRange panned(base::TimeRange view, std::int64_t by_ns, base::TimeRange bounds) {
  return clamped({view.begin + by_ns, view.end + by_ns}, bounds);
}

base::TimeRange with_margin(base::TimeRange range, double part, base::TimeRange bounds) {
  const std::int64_t margin = scaled(range.length(), part);
  const std::int64_t begin = std::max(range.begin - margin, bounds.begin);
  const std::int64_t end = std::min(range.end + margin, bounds.end);
  return clamped({begin, std::max(begin, end)}, bounds);
}

BrushPart brush_part_at(float x, float brush_x0, float brush_x1, float reach) {
  const float to_begin = std::abs(x - brush_x0);
  const float to_end = std::abs(x - brush_x1);
  if (std::min(to_begin, to_end) <= reach)
    return to_begin <= to_end ? BrushPart::begin : BrushPart::end;
  return x > brush_x0 && x < brush_x1 ? BrushPart::inside : BrushPart::outside;
}

Brush brush_at(float x, const TimeAxis& map, base::TimeRange view, float reach) {
  const BrushPart part = brush_part_at(x, map.x_of(view.begin), map.x_of(view.end), reach);
  if (part != BrushPart::outside) return {part, view};
  const std::int64_t begin = map.time_at(x) - view.length() / 2;
  return {part, clamped({begin, begin + view.length()}, map.range)};
}

base::TimeRange brushed(const Brush& brush, float dx, const TimeAxis& map) {
  const base::TimeRange& from = brush.from;
  const auto by = static_cast<std::int64_t>(static_cast<double>(dx) * map.ns_per_pixel());
  switch (brush.part) {
    case BrushPart::begin:
      return clamped({std::min(from.begin + by, from.end - kShortestView), from.end}, map.range);
    case BrushPart::end:
      return clamped({from.begin, std::max(from.end + by, from.begin + kShortestView)}, map.range);
    default:
      return panned(from, by, map.range);
  }
}

void Transition::start(base::TimeRange from, base::TimeRange to, std::int64_t now_ns) {
  from_ = from;
  to_ = to;
  begin_ns_ = now_ns;
  running_ = from != to;
}

base::TimeRange Transition::at(std::int64_t now_ns) {
  if (!running_) return to_;
  const double part = static_cast<double>(now_ns - begin_ns_) / static_cast<double>(kDuration);
  if (part >= 1) {
    running_ = false;
    return to_;
  }
  const double left = 1 - std::clamp(part, 0.0, 1.0);
  const double eased = 1 - left * left * left;
  // Lengths change on a logarithmic scale. Else a zoom over five decades would be over in one
  // frame.
  const double from_length = static_cast<double>(std::max<std::int64_t>(from_.length(), 1));
  const double to_length = static_cast<double>(std::max<std::int64_t>(to_.length(), 1));
  const double length = from_length * std::pow(to_length / from_length, eased);
  // The begin follows the length, so that both ends arrive together and neither overshoots.
  const double travelled = std::abs(to_length / from_length - 1) < 0.01
                               ? eased
                               : (length - from_length) / (to_length - from_length);
  const std::int64_t begin = from_.begin + scaled(to_.begin - from_.begin, travelled);
  return {begin, begin + std::max<std::int64_t>(1, static_cast<std::int64_t>(length))};
}

}  // namespace ts::views
