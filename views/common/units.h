#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace ts::views {

// A unit of a chart's numbers: its size in nanoseconds, bytes or whatever it counts, and its name.
struct ChartUnit {
  double size;
  const char* name;
};
// The largest first.
inline constexpr std::array<ChartUnit, 4> kTimeUnits{
    {{1e9, "s"}, {1e6, "ms"}, {1e3, "\u00b5s"}, {1, "ns"}}};
inline constexpr std::array<ChartUnit, 5> kByteUnits{
    {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "B"}}};

// The largest that `value` reaches, else the smallest.
template <std::size_t N>
const ChartUnit& unit_for(const std::array<ChartUnit, N>& units, double value) {
  const auto* const found =
      std::ranges::find_if(units, [&](const ChartUnit& unit) { return value >= unit.size; });
  return found == units.end() ? units.back() : *found;
}

}  // namespace ts::views
