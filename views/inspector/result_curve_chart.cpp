#include "views/inspector/result_curve_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/plot_panel.h"

namespace ts::views {
namespace {

constexpr float kRow = 20;
constexpr std::size_t kMostMarks = 16;  // on a curve: more would be a line of their own

// Dashes: length drawn and length left out. A left-out length of 0 is a solid line.
struct Style {
  Color color = 0;
  float on = 1, off = 0;
  float thickness = 1.6F;
};

Style style_of(const ResultCurveFigure& figure, std::size_t index) {
  if (figure.curves[index].name == report::kExactCurve) return {figure.theme.text3, 1, 0, 1};
  constexpr std::array<std::size_t, 6> kCategories = {0, 2, 4, 1, 3, 6};
  constexpr std::array<std::pair<float, float>, 5> kDashes = {
      {{1, 0}, {7, 3}, {2, 2.5F}, {11, 3}, {4, 4}}};
  const auto [on, off] = kDashes[index % kDashes.size()];
  return {figure.theme.category[kCategories[index % kCategories.size()]], on, off};
}

bool drawable(const ResultCurveFigure& figure, double value) {
  return std::isfinite(value) && (!figure.axes.log || value > 0);
}

// True for an axis that is named by the key of a text; others are the end of one.
bool is_key(const std::string& axis) {
  return axis.find('.') != axis.npos;
}

// "1e-3". The ticks of a logarithmic axis are powers of ten.
std::string power(double value) {
  return fmt::format("1e{}", std::lround(std::log10(value)));
}

// The shortest form that still differs from its neighbours.
std::string shown(double value, bool whole) {
  if (!std::isfinite(value)) return text::kNoNumber;
  if (value != 0 && std::abs(value) < 1e-3) return fmt::format("{:.2e}", value);
  return text::decimal(value, whole || std::abs(value) >= 1000 ? 0 : 4);
}

// True where no curve has a fraction.
bool all_whole(const std::vector<run::ResultCurve>& curves) {
  return std::ranges::all_of(curves, [](const run::ResultCurve& curve) {
    return std::ranges::all_of(
        curve.y, [](double value) { return !std::isfinite(value) || value == std::round(value); });
  });
}

class Drawing {
 public:
  Drawing(DrawSink& sink, const Rect& area, const ResultCurveFigure& figure)
      : sink_(sink), area_(area), figure_(figure) {
    const float left = px(44);
    plot_ = {std::round(area.x0 + left), std::round(area.y0 + px(20)), std::round(area.x1 - px(8)),
             std::round(area.y0 + px(figure.plot_height) - px(34))};
    x_ = axis(plot_.x0, plot_.x1, &run::ResultCurve::x);
    y_ = axis(plot_.y1, plot_.y0, &run::ResultCurve::y);
    if (!figure.axes.log) x_.high = figure.curves.front().x.back();
  }

  std::optional<std::size_t> draw() {
    draw_axes();
    const auto hit = under_mouse();
    if (hit) {
      const float at = std::round(x_.position(figure_.curves.front().x[*hit]));
      sink_.fill({at, plot_.y0, at + 1, plot_.y1}, figure_.theme.text3);
    }
    sink_.push_clip({plot_.x0, plot_.y0, plot_.x1 + 1, plot_.y1 + 1});
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) draw_curve(i);
    sink_.pop_clip();
    draw_names(hit.value_or(figure_.curves.front().x.size() - 1));
    return hit;
  }

 private:
  [[nodiscard]] float px(float length) const { return figure_.metrics.px(length); }

  [[nodiscard]] PlotAxis axis(float from, float to,
                              std::vector<double> run::ResultCurve::*values) const {
    double least = 0, greatest = 0;
    bool any = false;
    for (const run::ResultCurve& curve : figure_.curves) {
      for (const double value : curve.*values) {
        if (!drawable(figure_, value)) continue;
        least = any ? std::min(least, value) : value;
        greatest = any ? std::max(greatest, value) : value;
        any = true;
      }
    }
    return axis_around(least, greatest, figure_.axes.log, from, to);
  }

  [[nodiscard]] std::vector<Tick> ticks(const PlotAxis& axis, float apart) const {
    std::vector<Tick> all = number_ticks(axis, apart).ticks;
    if (!figure_.axes.log) return all;
    std::erase_if(all, [](const Tick& tick) {
      const double exponent = std::log10(tick.position);
      return std::abs(exponent - std::round(exponent)) > 1e-6;
    });
    for (Tick& tick : all) tick.label = power(tick.position);
    return all;
  }

  void draw_axes() {
    const Theme& theme = figure_.theme;
    const PlotPanel panel{sink_, theme, figure_.metrics, plot_};
    draw_left_axis(panel, y_, ticks(y_, px(22)), 6);
    draw_bottom_axis(panel, x_, ticks(x_, px(44)), 5, area_.x1);
    sink_.text({area_.x0, area_.y0}, TextStyle::small, theme.text3, name_of(figure_.axes.y));
    const std::string x_name = this->x_name();
    sink_.text({plot_.x1 - sink_.text_width(TextStyle::small, x_name), plot_.y1 + px(19)},
               TextStyle::small, theme.text3, x_name);
  }

  void draw_curve(std::size_t index) {
    const run::ResultCurve& curve = figure_.curves[index];
    std::vector<Point> line;
    const auto end = [&] {
      draw_line(line, style_of(figure_, index));
      line.clear();
    };
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!drawable(figure_, curve.y[i]) || !drawable(figure_, curve.x[i])) {
        end();  // a gap where there is no number
        continue;
      }
      line.push_back({x_.position(curve.x[i]), y_.position(curve.y[i])});
      if (curve.x.size() <= kMostMarks) draw_mark(line.back(), style_of(figure_, index));
    }
    end();
  }

  void draw_mark(Point at, const Style& style) {
    const float r = px(2);
    sink_.fill({at.x - r, at.y - r, at.x + r, at.y + r}, style.color);
  }

  void draw_line(const std::vector<Point>& line, const Style& style) {
    if (line.size() == 1) draw_mark(line[0], style);
    if (line.size() < 2) return;
    if (style.off == 0) {
      sink_.polyline(line, style.color, px(style.thickness));
    } else {
      dashed_path(sink_, line, style.color, px(style.thickness), px(style.on), px(style.off));
    }
  }

  [[nodiscard]] std::optional<std::size_t> under_mouse() const {
    const Point mouse = figure_.mouse;
    if (mouse.x < plot_.x0 || mouse.x > plot_.x1 || mouse.y < plot_.y0 || mouse.y > plot_.y1) {
      return std::nullopt;
    }
    const std::vector<double>& x = figure_.curves.front().x;
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      const auto distance = [&](std::size_t at) { return std::abs(x_.position(x[at]) - mouse.x); };
      if (distance(i) < distance(nearest)) nearest = i;
    }
    return nearest;
  }

  [[nodiscard]] std::string name_of(const std::string& axis) const {
    return figure_.texts(is_key(axis) ? axis : "inspector.curve." + axis);
  }
  [[nodiscard]] std::string x_name() const {
    return figure_.x_name.empty() ? name_of(figure_.axes.x) : figure_.x_name;
  }
  [[nodiscard]] std::string where(const std::string& number) const {
    const std::string axis = figure_.axes.x;
    if (figure_.x_name.empty() && !is_key(axis))
      return figure_.texts("inspector.curve.at." + axis, {{"x", number}});
    return figure_.texts("lesson.named", {{"name", x_name()}, {"value", number}});
  }

  void draw_names(std::size_t at) {
    const Theme& theme = figure_.theme;
    float y = area_.y0 + px(figure_.plot_height);
    const double x = figure_.curves.front().x[at];
    const std::string number =
        x < 100 && figure_.axes.log ? fmt::format("{:.3g}", x) : text::grouped(std::llround(x));
    text_right(sink_, {area_.x0, y, area_.x1, y + px(kRow)}, TextStyle::small, theme.text3,
               where(number));
    y += px(kRow);
    const bool whole = all_whole(figure_.curves);
    for (std::size_t i = 0; i < figure_.curves.size(); ++i) {
      const run::ResultCurve& curve = figure_.curves[i];
      const float middle = std::round(y + px(kRow) / 2);
      draw_line({{area_.x0, middle}, {area_.x0 + px(26), middle}}, style_of(figure_, i));
      const std::string value = at < curve.y.size() ? shown(curve.y[at], whole) : text::kNoNumber;
      const float width = sink_.text_width(TextStyle::body_medium, value);
      const bool exact = curve.name == report::kExactCurve;
      text_in(sink_, {area_.x0 + px(34), y, area_.x1 - width - px(8), y + px(kRow)},
              TextStyle::body, theme.text2,
              exact ? figure_.texts("inspector.curve.exact") : curve.name);
      text_right(sink_, {area_.x0, y, area_.x1, y + px(kRow)}, TextStyle::body_medium, theme.text,
                 value);
      y += px(kRow);
    }
  }

  DrawSink& sink_;
  Rect area_;
  const ResultCurveFigure& figure_;
  Rect plot_;
  PlotAxis x_, y_;
};

}  // namespace

float result_curve_chart_height(const ResultCurveFigure& figure) {
  const auto rows = static_cast<float>(figure.curves.size() + 1);
  return figure.metrics.px(figure.plot_height + rows * kRow);
}

std::optional<std::size_t> draw_result_curve_chart(DrawSink& sink, const Rect& area,
                                                   const ResultCurveFigure& figure) {
  if (figure.curves.empty() || figure.curves.front().x.empty()) return std::nullopt;
  return Drawing(sink, area, figure).draw();
}

}  // namespace ts::views
