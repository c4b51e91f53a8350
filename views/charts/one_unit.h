#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ts::views {

// Numbers that are compared stand in one unit: that of the largest, or a smaller one where the
// smallest would read as nothing in it.
struct OneUnit {
  double size = 1;     // of the unit, in nanoseconds, bytes or tokens a second
  std::string name;    // "ms"
  bool whole = false;  // never a part of it
  // Three or four digits that mean something, two behind the point at most from 1 up. A dash for a
  // negative number.
  [[nodiscard]] std::string number(double value) const;
  [[nodiscard]] std::string joined(double value) const { return number(value) + " " + name; }
};

// What is not above 0 is no number and is passed over.
OneUnit duration_unit(std::span<const double> nanoseconds);
OneUnit byte_unit(std::span<const double> bytes);
// Tokens a second: "tokens/s", "k tokens/s".
OneUnit token_rate_unit(std::span<const double> per_second);

}  // namespace ts::views
