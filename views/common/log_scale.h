#pragma once

#include <cstdint>

namespace ts::views {

// Positions of whole numbers on a logarithmic slider, and the values that a drag can reach: eight
// steps per octave (1, 9/8, 10/8 ... of a power of two), whole numbers below eight.
class LogScale {
 public:
  LogScale(std::int64_t min, std::int64_t max);  // 1 <= min < max
  [[nodiscard]] std::int64_t min() const { return min_; }
  [[nodiscard]] std::int64_t max() const { return max_; }
  [[nodiscard]] float position(std::int64_t value) const;     // 0..1, clamped
  [[nodiscard]] std::int64_t value_at(float position) const;  // snapped
  // The next reachable value above or below, for the arrow keys.
  [[nodiscard]] std::int64_t stepped(std::int64_t value, int steps) const;

 private:
  [[nodiscard]] std::int64_t snapped(double value) const;
  std::int64_t min_;
  std::int64_t max_;
};

}  // namespace ts::views
