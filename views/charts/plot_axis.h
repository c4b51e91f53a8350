#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "views/charts/ticks.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Maps values to pixels [from, to], linearly or logarithmically. y axes point upwards, so their
// `from` is the larger pixel.
struct PlotAxis {
  double low = 0;
  double high = 1;
  bool log = false;
  float from = 0;
  float to = 1;
  // Clamped to 20 axis lengths. On a log axis, values without a logarithm map to `from`.
  [[nodiscard]] float position(double value) const;
  // The value at a fraction of the way from `from` (0) to `to` (1).
  [[nodiscard]] double value_at(double part) const;
  [[nodiscard]] bool shows(double value) const { return value >= low && value <= high; }
};

// An axis around the values. Log axes get a margin, linear axes begin at 0.
PlotAxis axis_around(double least, double greatest, bool log, float from, float to);

// Ticks whose labels are at least `apart` pixels apart. Times are in ms and labelled in a suitable
// unit. Log axes have ticks at 1 and 3.
Ticks time_value_ticks(const PlotAxis& axis, float apart);
// Bytes, at powers of two.
Ticks byte_value_ticks(const PlotAxis& axis, float apart);
// Plain numbers with k, M, G. `suffix` is for ratios ("x").
Ticks number_ticks(const PlotAxis& axis, float apart, const char* suffix = "");
// Ticks at the values themselves ("512", "1 Ki"), fewer if there is no room.
Ticks value_ticks(const PlotAxis& axis, const std::vector<double>& values, float apart);

// "1 Ki" for multiples of 1024 from 1024 up, else the grouped number.
std::string short_count(double value);

// The curve y(x) along the whole x axis, in points dense enough to look smooth on any pair of
// scales.
std::vector<Point> curve_along(const PlotAxis& x, const PlotAxis& y,
                               const std::function<double(double)>& value);

// A path with dashes that continue around its corners.
void dashed_path(DrawSink& sink, std::span<const Point> path, Color color, float thickness,
                 float on, float off);
void dashed_line(DrawSink& sink, Point a, Point b, Color color, float thickness, float on,
                 float off);

}  // namespace ts::views
