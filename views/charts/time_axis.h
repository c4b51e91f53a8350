#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/clock.h"

namespace ts::views {

// Maps a time range to the pixels [x0, x1]. Nanoseconds stay int64. double and float hold only
// differences to the begin of the range.
struct TimeAxis {
  base::TimeRange range{0, 1};
  float x0 = 0;
  float x1 = 1;

  [[nodiscard]] double ns_per_pixel() const {
    return static_cast<double>(std::max<std::int64_t>(range.length(), 1)) /
           static_cast<double>(std::max(x1 - x0, 1.0F));
  }
  // Clamped to kFar pixels from x0, so that distant times stay exact enough to draw.
  [[nodiscard]] float x_of(std::int64_t time_ns) const {
    const double x = static_cast<double>(time_ns - range.begin) / ns_per_pixel();
    return x0 + static_cast<float>(std::clamp(x, -kFar, kFar));
  }
  [[nodiscard]] std::int64_t time_at(float x) const {
    return range.begin + static_cast<std::int64_t>(static_cast<double>(x - x0) * ns_per_pixel());
  }
  [[nodiscard]] std::int32_t pixels() const {
    return std::max(1, static_cast<std::int32_t>(x1 - x0));
  }

 private:
  static constexpr double kFar = 16384;
};

}  // namespace ts::views
