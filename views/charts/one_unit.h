#pragma once

#include <span>
#include <string>

namespace ts::views {

// One unit for numbers that are compared: the unit of the largest number, or a smaller one if the
// smallest number would read as zero.
struct OneUnit {
  double size = 1;     // of the unit, in nanoseconds, bytes or tokens a second
  std::string name;    // "ms"
  bool whole = false;  // never with a fraction
  // Three or four significant digits, at most two decimals from 1 up. A dash for a negative number.
  [[nodiscard]] std::string number(double value) const;
  [[nodiscard]] std::string joined(double value) const { return number(value) + " " + name; }
};

// Values that are not above 0 are ignored.
OneUnit duration_unit(std::span<const double> nanoseconds);
OneUnit byte_unit(std::span<const double> bytes);
// Tokens per second: "tokens/s", "k tokens/s".
OneUnit token_rate_unit(std::span<const double> per_second);

}  // namespace ts::views
