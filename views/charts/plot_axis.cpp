#include "views/charts/plot_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text/numbers.h"
#include "views/common/units.h"

namespace ts::views {
namespace {

constexpr double kFar = 20;  // axis lengths; values beyond are all drawn at this distance

// Enough digits to distinguish 0.003 from 0.01, and no useless ones for 300.
std::string plain(double value) {
  if (value == 0) return "0";
  const int digits =
      std::clamp(static_cast<int>(std::ceil(-std::log10(std::abs(value)) - 1e-9)), 0, 6);
  const bool whole = std::abs(value - std::round(value)) < 1e-9 * std::abs(value);
  return text::decimal(value, whole ? 0 : std::max(digits, value < 1 ? digits : 1));
}

// Multiples of a round step on a logarithmic axis, at least `apart` pixels apart at its upper end,
// where they are closest.
std::vector<double> even_positions(const PlotAxis& axis, double unit, float apart) {
  const double pixels = std::abs(static_cast<double>(axis.to - axis.from));
  const double per_log = pixels / std::log(axis.high / axis.low);
  const double range = axis.high - axis.low;
  double step = nice_step(range / unit / 12) * unit;
  while (step < range && per_log * std::log(axis.high / (axis.high - step)) < apart)
    step = nice_step(step / unit * 1.01) * unit;
  std::vector<double> all;
  for (double at = std::ceil(axis.low / step) * step; at <= axis.high; at += step)
    all.push_back(at);
  return all;
}

// On an axis of less than one or two decades, powers alone would give one tick or none.
std::vector<double> or_even(std::vector<double> powers, const PlotAxis& axis, double unit,
                            float apart) {
  if (powers.size() >= 3) return powers;
  std::vector<double> even = even_positions(axis, unit, apart);
  return even.size() > powers.size() ? even : powers;
}

// Positions 1 and 3 (or only 1, or every second 1) times powers of ten.
std::vector<double> log_positions(const PlotAxis& axis, double unit, float apart) {
  std::vector<double> all;
  const double pixels = std::abs(static_cast<double>(axis.to - axis.from));
  const double decades = std::log10(axis.high / axis.low);
  const double per_decade = pixels / std::max(decades, 1e-6);
  const bool threes = per_decade > 2.2 * static_cast<double>(apart);
  const int every =
      std::max(1, static_cast<int>(std::ceil(static_cast<double>(apart) / per_decade)));
  const int first = static_cast<int>(std::floor(std::log10(axis.low / unit)));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high / unit)));
  for (int power = first; power <= last; ++power) {
    if ((power % every + every) % every != 0) continue;
    for (const double digit : {1.0, 3.0}) {
      if (digit > 1 && !threes) continue;
      const double value = unit * digit * std::pow(10.0, power);
      if (axis.shows(value)) all.push_back(value);
    }
  }
  return or_even(std::move(all), axis, unit, apart);
}

std::vector<double> linear_positions(const PlotAxis& axis, float apart) {
  std::vector<double> all;
  const double pixels = std::abs(static_cast<double>(axis.to - axis.from));
  const double range = axis.high - axis.low;
  const double step =
      nice_step(std::max(range * static_cast<double>(apart) / std::max(pixels, 1.0), 1e-12));
  for (double at = std::ceil(axis.low / step - 1e-9) * step; at <= axis.high * (1 + 1e-9);
       at += step) {
    all.push_back(at);
  }
  return all;
}

}  // namespace

float PlotAxis::position(double value) const {
  double part = 0;
  if (log) {
    if (!(value > 0)) return from;
    part = std::log(value / low) / std::log(high / low);
  } else {
    part = (value - low) / (high - low);
  }
  if (!std::isfinite(part)) return from;
  return from + static_cast<float>(std::clamp(part, -kFar, kFar)) * (to - from);
}

double PlotAxis::value_at(double part) const {
  return log ? low * std::pow(high / low, part) : low + (high - low) * part;
}

PlotAxis axis_around(double least, double greatest, bool log, float from, float to) {
  PlotAxis axis;
  axis.log = log;
  axis.from = from;
  axis.to = to;
  if (log) {
    if (!(least > 0)) least = greatest > 0 ? greatest / 10 : 1;
    if (!(greatest > least)) greatest = least;
    const double margin = std::max(std::pow(greatest / least, 0.06), greatest > least ? 1.05 : 3.0);
    axis.low = least / margin;
    axis.high = greatest * margin;
  } else {
    axis.low = std::min(0.0, least);
    axis.high = greatest > axis.low ? greatest * 1.08 : axis.low + 1;
  }
  return axis;
}

Ticks time_value_ticks(const PlotAxis& axis, float apart) {
  const double middle = axis.log ? std::sqrt(axis.low * axis.high) : axis.high / 2;
  constexpr double kNsInMs = 1e6;
  const ChartUnit& unit = unit_for(kTimeUnits, middle * kNsInMs);
  const double ms = unit.size / kNsInMs;
  Ticks out;
  out.unit = unit.name;
  for (const double at :
       axis.log ? log_positions(axis, ms, apart) : linear_positions(axis, apart)) {
    out.ticks.push_back({at, plain(at / ms)});
  }
  return out;
}

Ticks byte_value_ticks(const PlotAxis& axis, float apart) {
  Ticks out;
  if (!axis.log) {
    return byte_ticks(static_cast<std::int64_t>(axis.high), std::abs(axis.to - axis.from), apart);
  }
  const double middle = std::sqrt(axis.low * axis.high);
  const ChartUnit& unit = unit_for(kByteUnits, middle);
  out.unit = unit.name;
  const double pixels = std::abs(static_cast<double>(axis.to - axis.from));
  const double doublings = std::log2(axis.high / axis.low);
  int every = 1;
  while (pixels / std::max(doublings, 1e-6) * every < static_cast<double>(apart)) every *= 2;
  const int first = static_cast<int>(std::floor(std::log2(axis.low)));
  std::vector<double> powers;
  for (int power = first; power <= std::log2(axis.high); ++power) {
    const double at = std::exp2(power);
    if (power % every == 0 && axis.shows(at)) powers.push_back(at);
  }
  for (const double at : or_even(std::move(powers), axis, unit.size, apart))
    out.ticks.push_back({at, plain(at / unit.size)});
  return out;
}

Ticks number_ticks(const PlotAxis& axis, float apart, const char* suffix) {
  Ticks out;
  constexpr std::array<ChartUnit, 4> kPrefixes = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  for (const double at : axis.log ? log_positions(axis, 1, apart) : linear_positions(axis, apart)) {
    const ChartUnit& prefix = unit_for(kPrefixes, std::abs(at));
    out.ticks.push_back({at, plain(at / prefix.size) + prefix.name + suffix});
  }
  return out;
}

std::string short_count(double value) {
  const auto whole = static_cast<std::int64_t>(std::llround(value));
  constexpr std::int64_t kKi = 1024;
  if (whole >= kKi * kKi && whole % (kKi * kKi) == 0)
    return text::grouped(whole / kKi / kKi) + " Mi";
  if (whole >= kKi && whole % kKi == 0) return text::grouped(whole / kKi) + " Ki";
  return text::grouped(whole);
}

Ticks value_ticks(const PlotAxis& axis, const std::vector<double>& values, float apart) {
  Ticks out;
  float last = -1e9F;
  for (const double value : values) {
    const float at = axis.position(value);
    if (at - last < apart) continue;
    last = at;
    out.ticks.push_back({value, short_count(value)});
  }
  return out;
}

std::vector<Point> curve_along(const PlotAxis& x, const PlotAxis& y,
                               const std::function<double(double)>& value) {
  constexpr int kPieces = 96;
  std::vector<Point> path;
  for (int i = 0; i <= kPieces; ++i) {
    const double at = x.value_at(static_cast<double>(i) / kPieces);
    const double height = value(at);
    if (std::isfinite(height)) path.push_back({x.position(at), y.position(height)});
  }
  return path;
}

void dashed_path(DrawSink& sink, std::span<const Point> path, Color color, float thickness,
                 float on, float off) {
  const float period = on + off;
  if (!(period > 0)) return;
  float phase = 0;  // along the dash and the gap after it
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Point a = path[i - 1];
    const Point b = path[i];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    if (!(length > 0) || !std::isfinite(length)) continue;
    const auto at = [&](float distance) {
      const float part = distance / length;
      return Point{a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
    };
    for (float begin = -phase; begin < length; begin += period) {
      const float end = std::min(begin + on, length);
      if (end > 0) sink.line(at(std::max(begin, 0.0F)), at(end), color, thickness);
    }
    phase = std::fmod(phase + length, period);
  }
}

void dashed_line(DrawSink& sink, Point a, Point b, Color color, float thickness, float on,
                 float off) {
  const Point path[] = {a, b};
  dashed_path(sink, path, color, thickness, on, off);
}

}  // namespace ts::views
