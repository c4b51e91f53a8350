#pragma once

#include <chrono>
#include <cstdint>

namespace ts::base {

// The program's one clock: std::chrono::steady_clock in int64 nanoseconds. Every record, sample and
// trace uses it; double seconds appear only relative to a view, at the last step of drawing.
inline std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Calendar time in nanoseconds since 1970 (UTC), for files that other programs read.
inline std::int64_t unix_now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Half-open interval [begin, end) in nanoseconds of that clock.
struct TimeRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t length() const noexcept { return end - begin; }
  [[nodiscard]] bool empty() const noexcept { return end <= begin; }
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

}  // namespace ts::base
