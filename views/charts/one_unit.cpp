#include "views/charts/one_unit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"

namespace ts::views {
namespace {

struct NamedUnit {
  double size;
  const char* name;
};
constexpr std::array<NamedUnit, 4> kTimes = {
    {{1, "ns"}, {1e3, "\u00b5s"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<NamedUnit, 5> kSizes = {{{1, "B"},
                                              {1024, "KiB"},
                                              {1024.0 * 1024, "MiB"},
                                              {1024.0 * 1024 * 1024, "GiB"},
                                              {1024.0 * 1024 * 1024 * 1024, "TiB"}}};
constexpr std::array<NamedUnit, 3> kTokenRates = {
    {{1, "tokens/s"}, {1e3, "k tokens/s"}, {1e6, "M tokens/s"}}};
constexpr double kLeast = 0.01;  // a smaller number would be mostly zeros

// At least three significant digits, at most five decimals.
int places_for(double shown) {
  if (shown >= 999.95) return 0;
  if (shown >= 99.995) return 1;
  if (shown >= 0.9995) return 2;
  if (shown >= 0.09995) return 3;
  if (shown >= 0.009995) return 4;
  return shown > 0 ? 5 : 2;
}

template <std::size_t N>
OneUnit unit_for(std::span<const double> values, const std::array<NamedUnit, N>& units) {
  double least = 0, greatest = 0;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    least = least > 0 ? std::min(least, value) : value;
    greatest = std::max(greatest, value);
  }
  std::size_t unit = 0;
  while (unit + 1 < N && greatest >= units[unit + 1].size) ++unit;
  while (unit > 0 && least < kLeast * units[unit].size) --unit;
  return {units[unit].size, units[unit].name, unit == 0};
}

}  // namespace

std::string OneUnit::number(double value) const {
  if (value < 0 || !std::isfinite(value)) return text::kNoNumber;
  const double shown = value / size;
  if (whole) return text::decimal(shown, 0);
  if (shown > 0 && shown < 0.0005) return "<0.001";
  return text::decimal(shown, places_for(shown));
}

OneUnit duration_unit(std::span<const double> nanoseconds) {
  return unit_for(nanoseconds, kTimes);
}

OneUnit byte_unit(std::span<const double> bytes) {
  return unit_for(bytes, kSizes);
}

OneUnit token_rate_unit(std::span<const double> per_second) {
  OneUnit unit = unit_for(per_second, kTokenRates);
  unit.whole = false;
  return unit;
}

}  // namespace ts::views
