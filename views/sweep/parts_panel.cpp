// The shares of forward, backward and optimizer in a step: a column per point, in percent.
#include <algorithm>
#include <array>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {
namespace {

constexpr std::array kParts = {"sweep.part.forward", "sweep.part.backward", "sweep.part.optimizer"};

std::array<double, 3> parts_of(const sweep::SweepPoint& point) {
  const sweep::PointMeasurement& m = point.measurement;
  std::array<double, 3> parts = {m.forward_ms, m.backward_ms, m.optimizer_ms};
  for (double& part : parts)
    part = point.status == sweep::PointStatus::ok ? std::max(part, 0.0) : 0;
  return parts;
}

// The colour of a series, fainter with every part.
Color shade(const SweepScene& scene, std::size_t series, std::size_t part) {
  return mixed(scene.styles[series].color, scene.theme().bg, 0.32F * static_cast<float>(part));
}

void draw_part_names(DrawSink& sink, const SweepScene& scene, const Rect& row) {
  float x = row.x1;
  for (std::size_t i = kParts.size(); i-- > 0;) {
    const std::string words = scene.figure.texts(kParts[i]);
    x -= sink.text_width(TextStyle::small, words);
    text_in(sink, {x, row.y0, row.x1, row.y1}, TextStyle::small, scene.theme().text2, words);
    x -= scene.px(14);
    const float middle = (row.y0 + row.y1) / 2;
    sink.fill({x, middle - scene.px(4), x + scene.px(8), middle + scene.px(4)}, shade(scene, 0, i));
    x -= scene.px(10);
  }
}

}  // namespace

bool has_parts(const sweep::Sweep& sweep) {
  return std::ranges::any_of(sweep.points(), [](const sweep::SweepPoint& point) {
    return point.measurement.backward_ms > 0;
  });
}

void draw_parts_panel(DrawSink& sink, SweepScene& scene, const Rect& area) {
  const sweep::Sweep& sweep = scene.figure.sweep;
  const PanelFrame frame =
      frame_panel(sink, scene, area, scene.figure.texts("sweep.panel.parts"), "", scene.px(20));
  draw_part_names(sink, scene, {area.x0, area.y0, area.x1 - scene.px(20), area.y0 + scene.px(34)});
  PlotAxis y = axis_around(0, 100, false, frame.plot.y1, frame.plot.y0);
  y.high = 100;
  draw_y_axis(sink, scene, frame, y, number_ticks(y, scene.px(40), " %"));
  const Rect& plot = frame.plot;
  const PlotPanel panel = panel_of(sink, scene, frame);
  GroupNames names(panel);
  const std::size_t places = sweep.points().size() / sweep.series().size();
  const float group = plot.width() / static_cast<float>(places);
  const float bar =
      std::min(group * 0.8F / static_cast<float>(sweep.series().size()), scene.px(36));
  for (std::size_t place = 0; place < places; ++place) {
    const float middle = plot.x0 + group * (static_cast<float>(place) + 0.5F);
    std::string name = short_count(static_cast<double>(sweep.points()[place].at[0]));
    if (sweep.points()[place].at.size() > 1) {
      name += ", " + short_count(static_cast<double>(sweep.points()[place].at[1]));
    }
    names.draw(middle, name, area.x1);
    for (std::size_t s = 0; s < sweep.series().size(); ++s) {
      const std::size_t index = s * places + place;
      const auto parts = parts_of(sweep.points()[index]);
      const double whole = parts[0] + parts[1] + parts[2];
      if (!(whole > 0)) continue;
      const float left =
          middle + bar * (static_cast<float>(s) - static_cast<float>(sweep.series().size()) / 2);
      const float gap = bar > scene.px(6) ? 1.0F : 0.0F;
      double below = 0;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] <= 0) continue;
        const float low = y.position(below / whole * 100);
        below += parts[i];
        const Rect box{left + gap, y.position(below / whole * 100), left + bar - gap, low};
        sink.fill(box, shade(scene, s, i));
        const std::string words = text::decimal(parts[i] / whole * 100, 0);
        const float words_width = sink.text_width(TextStyle::small, words);
        if (words_width < box.width() - 2 && box.height() > scene.px(16)) {
          const Point centre{(box.x0 + box.x1 - words_width) / 2,
                             (box.y0 + box.y1 - sink.text_height(TextStyle::small)) / 2};
          sink.text(centre, TextStyle::small, readable(scene.theme().bg, shade(scene, s, i)),
                    words);
        }
        scene.spots.push_back({index, {(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2}});
      }
    }
  }
  draw_axis_name(sink, scene, frame);
}

}  // namespace ts::views
