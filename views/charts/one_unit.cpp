#include "views/charts/one_unit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/common/units.h"

namespace ts::views {
namespace {

constexpr std::array<ChartUnit, 3> kTokenRates = {
    {{1e6, "M tokens/s"}, {1e3, "k tokens/s"}, {1, "tokens/s"}}};
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
OneUnit unit_of(std::span<const double> values, const std::array<ChartUnit, N>& units) {
  double least = 0, greatest = 0;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    least = least > 0 ? std::min(least, value) : value;
    greatest = std::max(greatest, value);
  }
  const ChartUnit* unit = &unit_for(units, greatest);
  while (unit != &units.back() && least < kLeast * unit->size) ++unit;
  return {unit->size, unit->name, unit == &units.back()};
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
  return unit_of(nanoseconds, kTimeUnits);
}

OneUnit byte_unit(std::span<const double> bytes) {
  return unit_of(bytes, kByteUnits);
}

OneUnit token_rate_unit(std::span<const double> per_second) {
  OneUnit unit = unit_of(per_second, kTokenRates);
  unit.whole = false;
  return unit;
}

}  // namespace ts::views
