#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "views/charts/ticks.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Maps values onto pixels [from, to], linearly or by their logarithm; y axes run upwards, so their
// `from` is the larger pixel.
struct PlotAxis {
  double low = 0;
  double high = 1;
  bool log = false;
  float from = 0;
  float to = 1;
  // Clamped to a screen beyond the ends; values without a logarithm lie at `from`.
  [[nodiscard]] float position(double value) const;
  // The value at a part of the way from `from` (0) to `to` (1).
  [[nodiscard]] double value_at(double part) const;
  [[nodiscard]] bool shows(double value) const { return value >= low && value <= high; }
};

// An axis around the values: log ones are widened by a margin, linear ones begin at 0.
PlotAxis axis_around(double least, double greatest, bool log, float from, float to);

// Ticks whose labels stand at least `apart` pixels from each other. Times are given in ms and
// labelled in the unit that suits them; log axes tick at 1 and 3.
Ticks time_value_ticks(const PlotAxis& axis, float apart);
// Bytes, at powers of two.
Ticks byte_value_ticks(const PlotAxis& axis, float apart);
// Plain numbers with k, M, G; "x" goes behind ratios.
Ticks number_ticks(const PlotAxis& axis, float apart, const char* suffix = "");
// The values themselves ("512", "1 Ki"), thinned out where there is no room.
Ticks value_ticks(const PlotAxis& axis, const std::vector<double>& values, float apart);

// "1 Ki" for multiples of 1024 from there on, else the grouped number.
std::string short_count(double value);

// The curve y(x) all along the x axis, in points close enough to look smooth on any pair of scales.
std::vector<Point> curve_along(const PlotAxis& x, const PlotAxis& y,
                               const std::function<double(double)>& value);

// Dashes that go on around the corners of a path.
void dashed_path(DrawSink& sink, std::span<const Point> path, Color color, float thickness,
                 float on, float off);
void dashed_line(DrawSink& sink, Point a, Point b, Color color, float thickness, float on,
                 float off);

}  // namespace ts::views
