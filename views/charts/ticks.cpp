#include "views/charts/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/common/units.h"

namespace ts::views {
namespace {

int digits_for(double step_in_unit) {
  // 1e-9 prevents 0.1 from counting as two digits.
  return std::max(0, static_cast<int>(std::ceil(-std::log10(step_in_unit) - 1e-9)));
}

constexpr int kMostDigits = 3;
constexpr double kMostBeforePoint = 1e5;

// "90.14250300" says no more than "90.142503".
std::string without_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

// The largest unit in which every tick label is short enough. None deep inside a long capture.
const ChartUnit* readable_unit(double largest, double step) {
  for (const ChartUnit& unit : kTimeUnits) {
    if (unit.size > std::max(largest, step)) continue;
    if (digits_for(step / unit.size) <= kMostDigits && largest / unit.size < kMostBeforePoint)
      return &unit;
  }
  return nullptr;
}

}  // namespace

double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (power * factor >= least * (1 - 1e-9)) return power * factor;
  return power * 10;
}

Ticks time_ticks(base::TimeRange range, std::int64_t origin_ns, float pixels, float apart_px) {
  Ticks out;
  const double length = static_cast<double>(std::max<std::int64_t>(range.length(), 1));
  const double per_pixel = length / static_cast<double>(std::max(pixels, 1.0F));
  // Time is whole nanoseconds: no finer ticks than that.
  const auto step = static_cast<std::int64_t>(std::max(
      1.0, std::round(nice_step(std::max(1.0, per_pixel * static_cast<double>(apart_px))))));
  out.step = static_cast<double>(step);
  const std::int64_t begin = range.begin - origin_ns;
  const std::int64_t end = range.end - origin_ns;
  std::int64_t first = begin / step * step;
  if (first < begin) first += step;
  const double largest = static_cast<double>(std::max(std::abs(begin), std::abs(end)));
  const ChartUnit* readable = readable_unit(largest, out.step);
  const bool relative = readable == nullptr;
  const ChartUnit& unit = relative ? unit_for(kTimeUnits, largest) : *readable;
  const int digits = std::min(digits_for(out.step / unit.size), 9);
  const ChartUnit& small = unit_for(kTimeUnits, out.step);
  const std::int64_t base = first;
  if (!relative) out.unit = unit.name;
  for (std::int64_t at = first; at <= end; at += step) {
    const auto value = static_cast<double>(at);
    std::string label;
    if (!relative) {
      label = text::decimal(value / unit.size, digits);
    } else if (at == base) {
      label = without_zeros(text::decimal(value / unit.size, digits)) + " " + unit.name;
    } else {
      const double since = static_cast<double>(at - base) / small.size;
      label = "+" + text::decimal(since, 0) + " " + small.name;
    }
    out.ticks.push_back({value, std::move(label)});
  }
  return out;
}

Ticks byte_ticks(std::int64_t bottom, std::int64_t top, float pixels, float apart_px) {
  if (bottom <= 0) return byte_ticks(top, pixels, apart_px);
  Ticks out;
  const double length = static_cast<double>(std::max<std::int64_t>(top - bottom, 1));
  const double most = std::clamp(static_cast<double>(pixels / std::max(apart_px, 1.0F)), 1.0, 7.0);
  const auto step = static_cast<std::int64_t>(
      std::max(1.0, std::exp2(std::ceil(std::log2(length / most) - 1e-9))));
  out.step = static_cast<double>(step);
  // The largest unit in which two digits tell the ticks apart.
  const ChartUnit unit = unit_for(kByteUnits, out.step * 4);
  const double part = out.step / unit.size;
  const int digits = part >= 1 ? 0 : part >= 0.5 ? 1 : 2;
  constexpr double kMostInUnit = 1e5;
  const bool relative = static_cast<double>(top) / unit.size >= kMostInUnit;
  const ChartUnit large = unit_for(kByteUnits, static_cast<double>(top));
  if (!relative) out.unit = unit.name;
  const std::int64_t first = (bottom + step - 1) / step * step;
  for (std::int64_t at = first; at <= top; at += step) {
    const auto value = static_cast<double>(at);
    std::string label;
    if (!relative) {
      label = text::decimal(value / unit.size, digits);
    } else if (at == first) {
      label = text::decimal(value / large.size, 2) + " " + large.name;
    } else {
      const ChartUnit small = unit_for(kByteUnits, out.step);
      label =
          "+" + text::decimal(static_cast<double>(at - first) / small.size, 0) + " " + small.name;
    }
    out.ticks.push_back({value, std::move(label)});
  }
  return out;
}

Ticks byte_ticks(std::int64_t top, float pixels, float apart_px) {
  Ticks out;
  const double highest = static_cast<double>(std::max<std::int64_t>(top, 1));
  const double room = std::max(1.0, static_cast<double>(pixels / std::max(apart_px, 1.0F)));
  const double most = std::clamp(room, 1.0, 7.0);
  out.step = std::max(1.0, std::exp2(std::ceil(std::log2(highest / most) - 1e-9)));
  const ChartUnit unit = unit_for(kByteUnits, std::min(highest, out.step * 4));
  out.unit = unit.name;
  const double part = out.step / unit.size;
  const int digits = part >= 1 ? 0 : part >= 0.5 ? 1 : 2;
  for (double at = 0; at <= highest * (1 + 1e-9); at += out.step)
    out.ticks.push_back({at, text::decimal(at / unit.size, digits)});
  return out;
}

Ticks count_ticks(double begin, double end, float pixels, float apart_px) {
  Ticks out;
  const double per_pixel = std::max(end - begin, 1.0) / static_cast<double>(std::max(pixels, 1.0F));
  out.step = nice_step(std::max(1.0, per_pixel * static_cast<double>(apart_px)));
  for (double at = std::ceil(begin / out.step - 1e-9) * out.step; at <= end; at += out.step)
    out.ticks.push_back({at, text::grouped(std::llround(at))});
  return out;
}

}  // namespace ts::views
