#include "views/hunt/bisection_line.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/text/numbers.h"

namespace ts::views {
namespace {

constexpr float kRadius = 4;
constexpr float kGap = 6;  // between labels

bool holds(run::Fit fit) {
  return fit != run::Fit::oom;
}

// The last that fits and the first that does not come first, then the ends, then the rest.
int rank(std::span<const LineStop> stops, std::size_t index) {
  const bool below_edge =
      index + 1 < stops.size() && holds(stops[index].fit) && !holds(stops[index + 1].fit);
  const bool above_edge = index > 0 && holds(stops[index - 1].fit) && !holds(stops[index].fit);
  if (below_edge || above_edge) return 0;
  return index == 0 || index + 1 == stops.size() ? 1 : 2;
}

void place_labels(const DrawSink& sink, const Rect& area, std::vector<LineStop>& stops) {
  const auto width_of = [&sink](const LineStop& stop) {
    return sink.text_width(TextStyle::small, text::grouped(stop.value));
  };
  const auto collides = [&](const LineStop& stop) {
    return std::any_of(stops.begin(), stops.end(), [&](const LineStop& other) {
      return other.labelled && stop.label_x < other.label_x + width_of(other) + kGap &&
             other.label_x < stop.label_x + width_of(stop) + kGap;
    });
  };
  for (int wanted = 0; wanted <= 2; ++wanted) {
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (rank(stops, i) != wanted) continue;
      LineStop& stop = stops[i];
      const float width = width_of(stop);
      // The two sides of the edge may be neighbours: their labels go away from each other.
      const float beside = holds(stop.fit) ? stop.x - width - kGap / 2 : stop.x + kGap / 2;
      const float left = wanted == 0 ? beside : stop.x - width / 2;
      stop.label_x = std::clamp(left, area.x0, std::max(area.x0, area.x1 - width));
      stop.labelled = !collides(stop);
    }
  }
}

}  // namespace

std::vector<LineStop> bisection_stops(const DrawSink& sink, const Rect& area,
                                      std::span<const run::HuntProbe> probes) {
  std::vector<LineStop> stops;
  for (const run::HuntProbe& probe : probes) stops.push_back({probe.at[0], probe.answer.fit});
  std::sort(stops.begin(), stops.end(),
            [](const LineStop& a, const LineStop& b) { return a.value < b.value; });
  stops.erase(std::unique(stops.begin(), stops.end(),
                          [](const LineStop& a, const LineStop& b) { return a.value == b.value; }),
              stops.end());
  if (stops.size() < 2 || stops.front().value <= 0) return {};
  const double low = std::log(static_cast<double>(stops.front().value));
  const double span = std::log(static_cast<double>(stops.back().value)) - low;
  const float first = area.x0 + kRadius;
  const float width = area.width() - 2 * kRadius;
  for (LineStop& stop : stops) {
    const double part = (std::log(static_cast<double>(stop.value)) - low) / span;
    stop.x = first + width * static_cast<float>(part);
  }
  place_labels(sink, area, stops);
  return stops;
}

void draw_bisection_line(DrawSink& sink, const Theme& theme, const Rect& area,
                         std::span<const LineStop> stops) {
  if (stops.empty()) return;
  const float y = area.y0 + kRadius + 4;
  const auto first_oom = std::find_if(stops.begin(), stops.end(),
                                      [](const LineStop& stop) { return !holds(stop.fit); });
  sink.line({stops.front().x, y}, {stops.back().x, y}, theme.surface3, 3);
  if (first_oom != stops.begin())
    sink.line({stops.front().x, y}, {std::prev(first_oom)->x, y}, theme.ok, 3);
  if (first_oom != stops.end())
    sink.line({first_oom->x, y}, {stops.back().x, y}, with_alpha(theme.bad, 0.7F), 3);
  for (const LineStop& stop : stops) {
    if (holds(stop.fit)) {
      const Rect dot{stop.x - kRadius, y - kRadius, stop.x + kRadius, y + kRadius};
      sink.fill(dot, stop.fit == run::Fit::fits ? theme.ok : theme.warn, kRadius);
    } else {
      sink.line({stop.x - kRadius, y - kRadius}, {stop.x + kRadius, y + kRadius}, theme.bad, 2);
      sink.line({stop.x - kRadius, y + kRadius}, {stop.x + kRadius, y - kRadius}, theme.bad, 2);
    }
    if (stop.labelled) {
      sink.text({stop.label_x, y + kRadius + 4}, TextStyle::small, theme.text2,
                text::grouped(stop.value));
    }
  }
}

}  // namespace ts::views
