#include "views/sweep/beaten_marks.h"

#include <algorithm>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

void draw_ring(DrawSink& sink, const SweepScene& scene, Point at, float radius) {
  sink.outline({at.x - radius, at.y - radius, at.x + radius, at.y + radius}, scene.theme().warn,
               scene.px(1.5F), radius);
}

// The reason for a beaten copy also covers a beaten product.
std::string reasons(const SweepScene& scene) {
  std::string words;
  const auto& beaten = scene.analysis.beaten;
  const auto has = [&](const char* key) {
    return std::ranges::any_of(beaten,
                               [key](const sweep::BeatenBound& one) { return one.why.key == key; });
  };
  for (const sweep::BeatenBound& one : beaten) {
    if (one.why.key == "sweep.beaten.product" && has("sweep.beaten.copy")) continue;
    const std::string which = one.why.key.substr(one.why.key.rfind('.') + 1);
    words += (words.empty() ? "" : ", ") +
             std::string(scene.figure.texts("sweep.beaten.short." + which));
  }
  return words;
}

}  // namespace

void ring_if_beaten(DrawSink& sink, const SweepScene& scene, LabelSpace& space, std::size_t point,
                    Point at) {
  const sweep::SweepPoint& one = scene.figure.sweep.points()[point];
  if (sweep::beaten_bound(scene.analysis.theories[point], one).key.empty()) return;
  const float radius = scene.px(7);
  draw_ring(sink, scene, at, radius);
  space.take(Rect{at.x - radius, at.y - radius, at.x + radius, at.y + radius});
}

void draw_beaten_note(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                      const std::string& unit) {
  if (scene.analysis.beaten.empty()) return;
  const float left =
      std::max(frame.plot.x0 + scene.px(8),
               frame.plot.x0 - scene.px(44) + sink.text_width(TextStyle::small, unit));
  const float height = sink.text_height(TextStyle::small);
  const float top = frame.plot.y0 - scene.px(18);
  const float radius = scene.px(5);
  draw_ring(sink, scene, {left + radius, top + height / 2}, radius);
  text_in(sink, {left + scene.px(16), top, frame.labels.x1, top + height}, TextStyle::small,
          scene.theme().text2,
          scene.figure.texts("sweep.beaten.mark", {{"reason", reasons(scene)}}));
}

}  // namespace ts::views
