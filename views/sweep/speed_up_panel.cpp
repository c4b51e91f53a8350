#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/sweep/label_space.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {
using sweep::Measure;

std::vector<SpeedUp> speed_ups_at(const sweep::Sweep& sweep, std::size_t place) {
  const std::size_t places = sweep.points().size() / sweep.series().size();
  std::vector<SpeedUp> all;
  const auto base = sweep::value_of(sweep, place, Measure::step_ms);
  for (std::size_t s = 1; s < sweep.series().size(); ++s) {
    const std::size_t point = s * places + place;
    const auto value = sweep::value_of(sweep, point, Measure::step_ms);
    if (!std::isfinite(base.y) || !std::isfinite(value.y) || value.low <= 0) continue;
    all.push_back({.point = point,
                   .series = s,
                   .value = base.y / value.y,
                   .low = base.low / value.high,
                   .high = base.high / value.low});
  }
  return all;
}

void draw_speed_up_panel(DrawSink& sink, SweepScene& scene, const Rect& area) {
  const sweep::Sweep& sweep = scene.figure.sweep;
  const auto& t = scene.figure.texts;
  const std::string title = t("sweep.panel.speed_up", {{"baseline", sweep.series()[0].label}});
  const PanelFrame frame =
      frame_panel(sink, scene, area, title, t("sweep.panel.speed_up_about"), scene.px(20));
  const float title_end = area.x0 + scene.px(28) + sink.text_width(TextStyle::body_strong, title) +
                          scene.px(12) +
                          sink.text_width(TextStyle::small, t("sweep.panel.speed_up_about"));
  draw_series_names(
      sink, scene,
      {title_end + scene.px(12), area.y0, area.x1 - scene.px(kMenuRoom), area.y0 + scene.px(34)});
  const std::size_t places = sweep.spec().axes[0].values.size();
  double least = 1;
  double greatest = 1;
  for (std::size_t place = 0; place < places; ++place) {
    for (const SpeedUp& ratio : speed_ups_at(sweep, place)) {
      least = std::min({least, ratio.value, std::max(ratio.low, ratio.value / 2)});
      greatest = std::max({greatest, ratio.value, std::min(ratio.high, 2 * ratio.value)});
    }
  }
  const bool log = scene.figure.look.log_y.value_or(false);
  // Every bar and whisker has a number above it, within the plot.
  const float height = sink.text_height(TextStyle::small);
  const float head = height + scene.px(8);
  const double room = std::min(0.5, static_cast<double>(head / frame.plot.height()));
  const double over =
      log ? std::pow(std::max(2.0, greatest / least), room / (1 - room)) : 1 / (1 - room);
  const PlotAxis y =
      axis_around(log ? least : 0, greatest * over, log, frame.plot.y1, frame.plot.y0);
  draw_y_axis(sink, scene, frame, y, number_ticks(y, scene.px(40), "\xc3\x97"));
  const Rect& plot = frame.plot;
  const PlotPanel panel = panel_of(sink, scene, frame);
  GroupNames names(panel);
  const float one = std::round(y.position(1));
  dashed_line(sink, {plot.x0, one}, {plot.x1, one}, scene.styles[0].color, scene.px(1.2F),
              scene.px(4), scene.px(3));

  const float group = plot.width() / static_cast<float>(places);
  const auto others = static_cast<float>(sweep.series().size() - 1);
  const float bar = std::min(group * 0.8F / others, scene.px(44));
  // Numbers come last: none covers a bar, a whisker or the line of the baseline.
  LabelSpace space;
  space.take(std::array{Point{plot.x0, one}, Point{plot.x1, one}});
  struct Number {
    float centre, top;
    std::string words;
  };
  std::vector<Number> numbers;
  for (std::size_t place = 0; place < places; ++place) {
    const float middle = plot.x0 + group * (static_cast<float>(place) + 0.5F);
    names.draw(middle, short_count(static_cast<double>(sweep.spec().axes[0].values[place])),
               area.x1);
    if (sweep.points()[place].status == sweep::PointStatus::oom) {
      const Point at{middle, plot.y1 - scene.px(34)};
      draw_cross(sink, at, scene.px(4), scene.styles[0].color, scene.px(1.6F));
      scene.spots.push_back({place, at});
      const std::string words = t("sweep.no_baseline");
      const float width = sink.text_width(TextStyle::small, words);
      if (width < group) {
        sink.text({middle - width / 2, plot.y1 - scene.px(22)}, TextStyle::small,
                  scene.theme().text3, words);
      }
    }
    for (const SpeedUp& ratio : speed_ups_at(sweep, place)) {
      const float x = middle + bar * (static_cast<float>(ratio.series - 1) - others / 2);
      const float top = std::round(y.position(ratio.value));
      // A logarithmic axis has no zero: bars start at 1 and go up or down.
      const float foot = log ? one : plot.y1;
      const Rect box{std::round(x) + 1, std::min(top, foot), std::round(x + bar) - 1,
                     std::max(top, foot)};
      sink.fill(box, scene.styles[ratio.series].color);
      space.take(box);
      scene.spots.push_back({ratio.point, {(box.x0 + box.x1) / 2, top}});
      const float centre = std::round((box.x0 + box.x1) / 2);
      float above = top;
      if (ratio.high > ratio.low) {
        // A whisker that goes past the top has no cap there.
        const float end_of_high = y.position(ratio.high);
        const float high = std::max(plot.y0 + head, end_of_high);
        const float low = y.position(ratio.low);
        const float cap = std::min(scene.px(3), bar / 3);
        for (const float end : {high, low}) {
          if (end > end_of_high && end == high) continue;
          sink.line({centre - cap, end}, {centre + cap, end}, scene.theme().text, scene.px(1.2F));
        }
        sink.line({centre, high}, {centre, low}, scene.theme().text, scene.px(1.2F));
        space.take(Rect{centre - cap, high, centre + cap, low});
        above = std::min(top, high);
      }
      const std::string words = text::decimal(ratio.value, ratio.value < 9.95 ? 2 : 1);
      const float width = sink.text_width(TextStyle::small, words);
      if (width < bar + scene.px(12)) numbers.push_back({centre, above, words});
    }
  }
  const Rect bounds{plot.x0, plot.y0, plot.x1, plot.y1};
  for (const Number& number : numbers) {
    const float width = sink.text_width(TextStyle::small, number.words);
    std::vector<Rect> spots;
    for (float top = number.top - height - scene.px(2); top >= bounds.y0; top -= scene.px(3))
      spots.push_back({number.centre - width / 2, top, number.centre + width / 2, top + height});
    if (spots.empty()) continue;
    const Rect at = space.place(spots, bounds);
    sink.text({at.x0, at.y0}, TextStyle::small, scene.theme().text, number.words);
  }
  draw_axis_name(sink, scene, frame);
}

}  // namespace ts::views
