#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ts::base {

// The events of a file that are read: by their numbers from 0, or by seconds since the first one.
// `to` is not among them.
struct FileRange {
  enum class Unit : std::uint8_t { events, seconds };
  enum class Place : std::uint8_t { before, inside, after };

  Unit unit = Unit::events;
  double from = 0;
  double to = std::numeric_limits<double>::infinity();

  friend bool operator==(const FileRange&, const FileRange&) = default;
  [[nodiscard]] bool is_all() const { return !(from > 0) && std::isinf(to); }
  [[nodiscard]] bool is_empty() const { return !(from < to); }
  // The place of an event by its number, and by its time since the first one.
  [[nodiscard]] Place place_of(std::uint64_t number, std::int64_t since_ns) const {
    constexpr double kSecond = 1e9;
    const double at = unit == Unit::events ? static_cast<double>(number)
                                           : static_cast<double>(since_ns) / kSecond;
    if (at < from) return Place::before;
    return at < to ? Place::inside : Place::after;
  }
};

// The events of a file of which a range was read, or of one of its devices.
struct RangeEvents {
  std::size_t inside = 0;
  std::size_t before = 0;  // they made what is alive when it begins, and are kept, too
  friend RangeEvents operator+(const RangeEvents& a, const RangeEvents& b) {
    return {a.inside + b.inside, a.before + b.before};
  }
};

}  // namespace ts::base
