#pragma once

#include <cstdint>
#include <limits>

#include "core/base/clock.h"

namespace ts::trace {

// Columns of one pixel each over a range, counted from time 0 and not from the begin of the range:
// panning by any distance does not move them. Exact integer arithmetic; a pixel is range.length() /
// pixels nanoseconds, not rounded, and may be less than one nanosecond.
class PixelGrid {
 public:
  // range not empty, pixels > 0
  PixelGrid(base::TimeRange range, std::int32_t pixels) noexcept
      : begin_(range.begin),
        length_(static_cast<Wide>(range.end) - range.begin),
        pixels_(pixels),
        offset_(floor_modulo(static_cast<Wide>(range.begin) * pixels, length_)),
        narrow_(length_ <= std::numeric_limits<std::int64_t>::max() / (pixels_ + 2)) {}

  // First nanosecond after the column that contains a time of the range.
  [[nodiscard]] std::int64_t column_end(std::int64_t time_ns) const noexcept {
    // A 128-bit division is a function call, and every column needs one.
    return narrow_ ? column_end_as<std::uint64_t>(time_ns) : column_end_as<Wide>(time_ns);
  }

  [[nodiscard]] bool fills_pixel(std::int64_t duration_ns) const noexcept {
    return static_cast<Wide>(duration_ns) * pixels_ >= length_;
  }

 private:
  __extension__ using Wide = __int128;

  static Wide floor_modulo(Wide numerator, Wide denominator) noexcept {
    const Wide rest = numerator % denominator;
    return rest < 0 ? rest + denominator : rest;
  }

  template <class Number>
  [[nodiscard]] std::int64_t column_end_as(std::int64_t time_ns) const noexcept {
    const auto length = static_cast<Number>(length_);
    const auto pixels = static_cast<Number>(pixels_);
    const auto offset = static_cast<Number>(offset_);
    const auto since = static_cast<Number>(static_cast<Wide>(time_ns) - begin_);
    const Number column = (since * pixels + offset) / length;
    const Number until = ((column + 1) * length - offset + pixels - 1) / pixels;
    const Wide end = static_cast<Wide>(until) + begin_;
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    return end < kLast ? static_cast<std::int64_t>(end) : kLast;
  }

  Wide begin_;
  Wide length_;
  Wide pixels_;
  Wide offset_;  // position of range.begin in its column, in 1 / pixels nanoseconds
  bool narrow_;  // all values fit into 64 bits
};

}  // namespace ts::trace
