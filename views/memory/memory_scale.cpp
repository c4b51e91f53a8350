#include "views/memory/memory_scale.h"

#include <algorithm>

namespace ts::views {
namespace {

constexpr std::int64_t kFarCapacity = 3;

std::int64_t with_head(std::int64_t bytes, float height, float head) {
  const double used = std::max(0.3, 1 - static_cast<double>(head / std::max(height, 1.0F)));
  return static_cast<std::int64_t>(static_cast<double>(bytes) / used);
}

}  // namespace

MemoryScale choose_scale(const Rect& plot, std::int64_t most, std::int64_t capacity, float head) {
  MemoryScale out;
  out.plot = plot;
  out.top = std::max<std::int64_t>(1, with_head(most, plot.height(), head));
  if (capacity <= 0 || most <= 0) return out;
  out.capacity_above = capacity > most * kFarCapacity;
  out.capacity_in_range = !out.capacity_above;
  if (out.capacity_in_range)
    out.top = std::max(out.top, with_head(capacity, plot.height(), head * 0.5F));
  return out;
}

MemoryScale zoomed_scale(MemoryScale scale, base::TimeRange bytes, std::int64_t capacity) {
  scale.bottom = bytes.begin;
  scale.top = std::max(bytes.end, bytes.begin + 1);
  scale.capacity_in_range = capacity > scale.bottom && capacity <= scale.top;
  scale.capacity_above = capacity > scale.top;
  return scale;
}

}  // namespace ts::views
