#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "views/charts/ticks.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// The y axis of the memory view.
struct MemoryScale {
  Rect plot;
  std::int64_t bottom = 0;         // bytes at the lower edge
  std::int64_t top = 1;            // bytes at the upper edge
  bool capacity_in_range = false;  // the capacity line is on the plot
  bool capacity_above = false;     // it is too high and becomes a label at the upper edge
  [[nodiscard]] float y_of(std::int64_t bytes) const {
    const double part = static_cast<double>(bytes - bottom) / static_cast<double>(top - bottom);
    return plot.y1 - static_cast<float>(part * static_cast<double>(plot.height()));
  }
  [[nodiscard]] std::int64_t bytes_at(float y) const {
    const double part =
        static_cast<double>((plot.y1 - y) / (plot.height() > 1 ? plot.height() : 1));
    return bottom + static_cast<std::int64_t>(part * static_cast<double>(top - bottom));
  }
  [[nodiscard]] double bytes_per_pixel() const {
    return static_cast<double>(top - bottom) /
           static_cast<double>(plot.height() > 1 ? plot.height() : 1);
  }
};

// Chooses a scale in which allocations stay visible. The capacity (0: none) is on the plot unless
// it is more than three times `most`, the largest total in view. `head` pixels stay free above both
// for labels.
MemoryScale choose_scale(const Rect& plot, std::int64_t most, std::int64_t capacity, float head);

// The same with only these bytes in view; the capacity may be out of it.
MemoryScale zoomed_scale(MemoryScale scale, base::TimeRange bytes, std::int64_t capacity);

}  // namespace ts::views
