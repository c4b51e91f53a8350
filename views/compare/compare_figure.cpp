#include "views/compare/compare_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/one_unit.h"
#include "views/charts/plot_panel.h"
#include "views/charts/ticks.h"
#include "views/common/wrapping.h"
#include "views/compare/compare_text.h"

namespace ts::views {
namespace {

constexpr double kSame = 0.01;     // times whose ratio is this close to 1 are called the same
constexpr float kLeastPlot = 120;  // pixels at scale 1 of the intervals' plot
constexpr double kWide = 8;        // ratios that differ by more have a logarithmic axis

constexpr double kMostTicks = 7;

// The largest of 1, 2, 5 times a power of ten that is at most the value.
double step_below(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  return value >= 5 * power ? 5 * power : value >= 2 * power ? 2 * power : power;
}

// An axis around 1 and all values; a logarithmic one ends at ticks on both sides of 1.
PlotAxis ratio_axis(double least, double greatest, float from, float to) {
  PlotAxis axis;
  axis.from = from;
  axis.to = to;
  axis.low = std::min(least, 1 - 2 * kSame);
  axis.high = std::max(greatest, 1 + 2 * kSame);
  axis.log = axis.high / std::max(axis.low, 1e-6) > kWide;
  if (axis.log) {
    axis.low = step_below(std::max(axis.low, 1e-6));
    axis.high = nice_step(std::min(axis.high, 1e6));
  } else {
    const double margin = (axis.high - axis.low) * 0.06;
    axis.low -= margin;
    axis.high += margin;
  }
  return axis;
}

// With the digits of its power of ten.
Tick log_ratio_tick(double at) {
  const double power = std::floor(std::log10(at) + 1e-9);
  return {at, text::decimal(at, std::max(0, static_cast<int>(-power)))};
}

// Ticks at 1, 2 and 5 times powers of ten; where they would be too near, at 1 and 3 times, then at
// powers of ten alone.
std::vector<Tick> log_ratio_ticks(const PlotAxis& axis, float apart) {
  const double pixels = std::abs(static_cast<double>(axis.to - axis.from));
  const double decade = pixels / std::log10(axis.high / axis.low);
  const auto apart_by = [&](double factor) {
    return decade * std::log10(factor) >= static_cast<double>(apart);
  };
  std::vector<double> digits_of_ticks = {1};
  if (apart_by(2)) {
    digits_of_ticks = {1, 2, 5};
  } else if (apart_by(3)) {
    digits_of_ticks = {1, 3};
  }
  std::vector<Tick> ticks;
  for (double power = std::pow(10.0, std::floor(std::log10(axis.low) + 1e-9));
       power <= axis.high * (1 + 1e-9); power *= 10) {
    for (const double digit : digits_of_ticks) {
      const double at = digit * power;
      if (at < axis.low * (1 - 1e-9) || at > axis.high * (1 + 1e-9)) continue;
      ticks.push_back(log_ratio_tick(at));
    }
  }
  if (ticks.size() > 1) return ticks;
  // A low plot: the ends of the axis, which are round, too.
  const auto add = [&](double at) {
    if (ticks.empty() ||
        apart_by(std::max(at, ticks[0].position) / std::min(at, ticks[0].position)))
      ticks.push_back(log_ratio_tick(at));
  };
  add(axis.low);
  add(axis.high);
  return ticks;
}

// A few ticks, at multiples of 1, 2, 2.5 or 5 times a power of ten, with the digits of the step.
std::vector<Tick> ratio_ticks(const PlotAxis& axis, float apart) {
  if (axis.log) return log_ratio_ticks(axis, apart);
  const double pixels = std::abs(static_cast<double>(axis.to - axis.from));
  const double most = std::clamp(pixels / static_cast<double>(apart), 1.0, kMostTicks);
  const auto ticks_at = [&axis](double step) {
    return std::floor(axis.high / step) - std::ceil(axis.low / step) + 1;
  };
  int power = static_cast<int>(std::floor(std::log10((axis.high - axis.low) / kMostTicks)));
  double step = 0;
  int digits = 0;
  for (bool found = false; !found; ++power) {
    for (const double digit : {1.0, 2.0, 2.5, 5.0}) {
      step = digit * std::pow(10.0, power);
      digits = std::clamp((digit == 2.5 ? 1 : 0) - power, 0, 6);
      found = ticks_at(step) <= most;
      if (found) break;
    }
  }
  std::vector<Tick> ticks;
  for (double at = std::ceil(axis.low / step) * step; at <= axis.high; at += step) {
    ticks.push_back({at, text::decimal(at, digits)});
  }
  return ticks;
}

struct Columns {
  Rect part, a, b, plot, ratio, word;
};

// The widest text of a column.
struct Widths {
  float part = 0;   // what is compared
  float time = 0;   // headings over the times
  float ratio = 0;  // the ratio with its interval, the main result of the page
  float word = 0;   // of any verdict: the column keeps its width when it changes
};

Columns columns_of(const Rect& row, float px, const Widths& widest) {
  Columns columns;
  const float names = std::max(widest.part + 12 * px, std::min(110 * px, row.width() * 0.14F));
  const float times = std::min(std::max(96 * px, widest.time + 16 * px), row.width() * 0.16F);
  const float words = std::min(std::max(86 * px, widest.word), row.width() * 0.18F);
  const float ratios = std::min(std::max(120 * px, widest.ratio + 16 * px), row.width() * 0.36F);
  const auto cut = [&](float x0, float x1) { return Rect{x0, row.y0, x1, row.y1}; };
  columns.part = cut(row.x0, row.x0 + names);
  columns.a = cut(columns.part.x1, columns.part.x1 + times);
  columns.b = cut(columns.a.x1, columns.a.x1 + times);
  columns.word = cut(row.x1 - words, row.x1);
  columns.ratio = cut(columns.word.x0 - ratios, columns.word.x0 - 12 * px);
  columns.plot = cut(columns.b.x1 + 20 * px, columns.ratio.x0 - 8 * px);
  // Too narrow, it shows nothing that the numbers beside it do not say.
  if (columns.plot.width() < kLeastPlot * px) columns.plot.x1 = columns.plot.x0;
  return columns;
}

// The band of what counts as the same, and the ticks with their labels below.
void draw_ratio_scale(DrawSink& sink, const Rect& plot, const CompareFigure& figure,
                      const PlotAxis& axis) {
  const float px = figure.metrics.px(1);
  const Theme& theme = figure.theme;
  sink.fill({axis.position(1 - kSame), plot.y0, axis.position(1 + kSame), plot.y1}, theme.surface2);
  for (const Tick& tick : ratio_ticks(axis, 48 * px)) {
    const float x = axis.position(tick.position);
    sink.fill({x, plot.y0, x + 1, plot.y1}, theme.grid);
    sink.text({x - sink.text_width(TextStyle::small, tick.label) / 2, plot.y1 + 3 * px},
              TextStyle::small, theme.text3, tick.label);
  }
  const float one = axis.position(1);
  sink.fill({one, plot.y0, one + 1, plot.y1}, theme.text2);
}

void draw_interval(DrawSink& sink, const CompareFigure& figure, const PlotAxis& axis,
                   const stats::PairedRatio& ratio, float y) {
  const float px = figure.metrics.px(1);
  const Color color = figure.theme.accent;
  if (ratio.ci95) {
    draw_error_bar(sink, {axis.position(ratio.ci95->low), y}, {axis.position(ratio.ci95->high), y},
                   3 * px, color, 1.2F * px);
  }
  const float x = axis.position(ratio.median);
  sink.fill({x - 3 * px, y - 3 * px, x + 3 * px, y + 3 * px}, color, 3 * px);
}

std::string ratio_text(const CompareFigure& figure, const stats::PairedRatio& ratio) {
  std::string median = text::decimal(ratio.median, 3);
  if (!ratio.ci95) return median;
  return figure.texts("compare.ratio_and_interval", {{"ratio", median},
                                                     {"low", text::decimal(ratio.ci95->low, 3)},
                                                     {"high", text::decimal(ratio.ci95->high, 3)}});
}

// Returns where the rows end.
float draw_rows(DrawSink& sink, const Rect& area, const CompareFigure& figure) {
  const float px = figure.metrics.px(1);
  const Theme& theme = figure.theme;
  const auto rows = comparison_rows(figure.comparison, figure.texts);
  double least = 1, greatest = 1;
  for (const ComparisonRow& row : rows) {
    least = std::min({least, row.ratio.median, row.ratio.ci95 ? row.ratio.ci95->low : 1.0});
    greatest = std::max({greatest, row.ratio.median, row.ratio.ci95 ? row.ratio.ci95->high : 1.0});
  }
  const float height = 28 * px;
  const Rect heading{area.x0, area.y0, area.x1, area.y0 + height};
  const auto names = side_names(figure.comparison, figure.texts);
  const std::string median_a = figure.texts("compare.median", {{"side", names[0]}});
  const std::string median_b = figure.texts("compare.median", {{"side", names[1]}});
  const std::string ratio_heading =
      figure.texts("compare.ratio", {{"a", names[0]}, {"b", names[1]}});
  Widths widest;
  widest.part = sink.text_width(TextStyle::body, figure.texts("compare.peak"));
  widest.time = std::max(sink.text_width(TextStyle::small, median_a),
                         sink.text_width(TextStyle::small, median_b));
  widest.ratio = sink.text_width(TextStyle::small, ratio_heading);
  for (const char* const key : kVerdictKeys)
    widest.word =
        std::max(widest.word, sink.text_width(TextStyle::body_strong, figure.texts(key)) + 1);
  for (const ComparisonRow& row : rows) {
    widest.part = std::max(widest.part, sink.text_width(TextStyle::body_strong, row.part));
    widest.ratio =
        std::max(widest.ratio, sink.text_width(TextStyle::body, ratio_text(figure, row.ratio)));
  }
  const Columns head = columns_of(heading, px, widest);
  text_right(sink, head.a, TextStyle::small, theme.text3, median_a);
  text_right(sink, head.b, TextStyle::small, theme.text3, median_b);
  text_right(sink, head.ratio, TextStyle::small, theme.text3, ratio_heading);
  const float bottom = heading.y1 + height * static_cast<float>(rows.size());
  const bool plotted = head.plot.width() > 0;
  const PlotAxis axis = ratio_axis(least, greatest, head.plot.x0, head.plot.x1);
  if (plotted) {
    text_in(sink, head.plot, TextStyle::small, theme.text3,
            figure.texts("compare.axis", {{"a", names[0]}, {"b", names[1]}}));
    draw_ratio_scale(sink, {head.plot.x0, heading.y1, head.plot.x1, bottom}, figure, axis);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float y0 = heading.y1 + height * static_cast<float>(i);
    const Columns at = columns_of({area.x0, y0, area.x1, y0 + height}, px, widest);
    const ComparisonRow& row = rows[i];
    const auto style = i == 0 ? TextStyle::body_strong : TextStyle::body;
    text_in(sink, at.part, style, theme.text, row.part);
    text_right(sink, at.a, style, theme.text, row.a);
    text_right(sink, at.b, style, theme.text, row.b);
    if (plotted) draw_interval(sink, figure, axis, row.ratio, y0 + height / 2);
    text_right(sink, at.ratio, TextStyle::body, theme.text2, ratio_text(figure, row.ratio));
    text_right(sink, at.word, style, theme.text, figure.texts(verdict_key(row.ratio)));
  }
  float y = bottom + (plotted ? 22 * px : 0);
  const auto& [a, b] = figure.comparison.sides;
  if (a.peak > 0 && b.peak > 0) {
    const Columns at = columns_of({area.x0, y, area.x1, y + height}, px, widest);
    text_in(sink, at.part, TextStyle::body, theme.text, figure.texts("compare.peak"));
    const std::array peaks = {static_cast<double>(a.peak), static_cast<double>(b.peak)};
    const OneUnit unit = byte_unit(peaks);
    text_right(sink, at.a, TextStyle::body, theme.text, unit.joined(peaks[0]));
    text_right(sink, at.b, TextStyle::body, theme.text, unit.joined(peaks[1]));
    text_right(sink, at.ratio, TextStyle::body, theme.text2,
               text::decimal(static_cast<double>(b.peak) / static_cast<double>(a.peak), 3));
    y += height;
  }
  const std::string note = ratio_note(figure.comparison, figure.texts);
  if (note.empty()) return y;
  const float line = sink.text_height(TextStyle::small) + 4 * px;
  y += 4 * px;
  for (const std::string& words : wrapped(sink, TextStyle::small, note, area.width())) {
    sink.text({area.x0, y}, TextStyle::small, theme.text2, words);
    y += line;
  }
  return y + 4 * px;
}

// Explains dots, line and band at the right end of the row; left out if there is no room.
void draw_pairs_legend(DrawSink& sink, const Rect& row, const CompareFigure& figure) {
  const float px = figure.metrics.px(1);
  const Color color = figure.theme.accent;
  const float middle = (row.y0 + row.y1) / 2;
  float x = row.x1;
  const auto entry = [&](const char* key, const auto& draw_sample) {
    const std::string words = figure.texts(key);
    const float left = x - sink.text_width(TextStyle::small, words) - 22 * px;
    if (left < row.x0) return;
    text_right(sink, {left, row.y0, x, row.y1}, TextStyle::small, figure.theme.text2, words);
    draw_sample(Rect{left, middle - 5 * px, left + 16 * px, middle + 5 * px});
    x = left - 16 * px;
  };
  if (figure.comparison.total.ci95) {
    entry("compare.legend.interval",
          [&](const Rect& at) { sink.fill(at, with_alpha(color, 0.18F)); });
  }
  entry("compare.legend.median", [&](const Rect& at) {
    sink.fill({at.x0, middle - 0.7F * px, at.x1, middle + 0.7F * px}, color);
  });
  entry("compare.legend.pair", [&](const Rect& at) {
    const float centre = (at.x0 + at.x1) / 2;
    sink.fill({centre - 3 * px, middle - 3 * px, centre + 3 * px, middle + 3 * px}, color, 3 * px);
  });
}

// Numbers of pairs, counted from 1: multiples of 1, 2 or 5 times a power of ten.
std::vector<std::int64_t> pair_ticks(std::size_t pairs, float each, float apart) {
  std::int64_t step = 1;
  for (int i = 0; static_cast<float>(step) * each < apart; ++i)
    step = step * (i % 3 == 1 ? 5 : 4) / 2;
  std::vector<std::int64_t> ticks;
  for (std::int64_t at = step; at <= static_cast<std::int64_t>(pairs); at += step)
    ticks.push_back(at);
  return ticks;
}

void draw_pairs(DrawSink& sink, const Rect& area, const CompareFigure& figure) {
  const float px = figure.metrics.px(1);
  const Theme& theme = figure.theme;
  const auto& [a, b] = figure.comparison.sides;
  const std::size_t pairs = std::min(a.timed_steps.size(), b.timed_steps.size());
  const Rect title{area.x0, area.y0, area.x1, area.y0 + 24 * px};
  const Rect plot{area.x0 + 48 * px, title.y1 + 22 * px, area.x1 - 8 * px, area.y1 - 20 * px};
  if (pairs == 0 || plot.height() < 40 * px) return;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < pairs; ++i) {
    ratios.push_back(static_cast<double>(b.timed_steps[i].total_ns) /
                     static_cast<double>(a.timed_steps[i].total_ns));
  }
  const auto [least, greatest] = std::ranges::minmax(ratios);
  const PlotAxis axis = ratio_axis(least, greatest, plot.y1, plot.y0);
  const char* const words = figure.texts(axis.log ? "compare.pairs_log" : "compare.pairs");
  text_in(sink, title, TextStyle::body_strong, theme.text, words);
  const float title_end = title.x0 + sink.text_width(TextStyle::body_strong, words) + 24 * px;
  draw_pairs_legend(sink, {title_end, title.y0, title.x1, title.y1}, figure);
  text_right(sink, {area.x0, plot.y0 - 22 * px, plot.x0 - 8 * px, plot.y0 - 6 * px},
             TextStyle::small, theme.text3, figure.texts("compare.ratio_short"));
  draw_left_axis({sink, theme, figure.metrics, plot}, axis, ratio_ticks(axis, 26 * px));
  const float one = axis.position(1);
  sink.fill({plot.x0, one, plot.x1, one + 1}, theme.text2);
  const stats::PairedRatio& total = figure.comparison.total;
  if (total.ci95) {
    sink.fill({plot.x0, axis.position(total.ci95->high), plot.x1, axis.position(total.ci95->low)},
              with_alpha(theme.accent, 0.18F));
  }
  const float each = plot.width() / static_cast<float>(pairs);
  const float dot = std::clamp(each / 2 - 1, 1.0F, 3 * px);
  for (std::size_t i = 0; i < pairs; ++i) {
    const float x = plot.x0 + each * (static_cast<float>(i) + 0.5F);
    const float y = axis.position(ratios[i]);
    sink.fill({x - dot, y - dot, x + dot, y + dot}, theme.accent, dot);
  }
  const float median = axis.position(total.median);
  sink.fill({plot.x0, median, plot.x1, median + 1.4F * px}, theme.accent);
  const std::string axis_name = figure.texts("compare.pairs_axis");
  const float name_x = plot.x1 - sink.text_width(TextStyle::small, axis_name);
  sink.text({name_x, plot.y1 + 4 * px}, TextStyle::small, theme.text3, axis_name);
  for (const std::int64_t number : pair_ticks(pairs, each, 56 * px)) {
    const float x = std::round(plot.x0 + each * (static_cast<float>(number) - 0.5F));
    sink.fill({x, plot.y1, x + 1, plot.y1 + 4 * px}, theme.line);
    const std::string words_at = text::grouped(number);
    const float wide = sink.text_width(TextStyle::small, words_at);
    if (x + wide / 2 > name_x - 8 * px) break;
    sink.text({x - wide / 2, plot.y1 + 4 * px}, TextStyle::small, theme.text3, words_at);
  }
}

}  // namespace

float draw_compare_figure(DrawSink& sink, const Rect& area, const CompareFigure& figure) {
  if (figure.comparison.sides[0].timed_steps.empty()) return 0;
  const float px = figure.metrics.px(1);
  const Rect inside{area.x0 + 16 * px, area.y0 + 4 * px, area.x1 - 16 * px, area.y1 - 8 * px};
  const float end = draw_rows(sink, inside, figure);
  draw_pairs(sink, {inside.x0, end + 16 * px, inside.x1, inside.y1}, figure);
  constexpr float kPairs = 160;
  return end + kPairs * px - area.y0;
}

}  // namespace ts::views
