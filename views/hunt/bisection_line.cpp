#include "views/hunt/bisection_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/text/numbers.h"

namespace ts::views {
namespace {

// At scale 1.
constexpr float kRadius = 4;
constexpr float kGap = 6;  // between labels
constexpr float kLine = 3;

bool holds(predict::Fit fit) {
  return fit != predict::Fit::oom;
}

// The interval that bisection starts from, once one value is known to fit and one not to; all
// values if there is none.
std::pair<std::int64_t, std::int64_t> first_bracket(std::span<const predict::HuntProbe> probes) {
  std::int64_t fits = 0;
  std::int64_t breaks = std::numeric_limits<std::int64_t>::max();
  for (const predict::HuntProbe& probe : probes) {
    if (holds(probe.answer.fit)) {
      fits = std::max(fits, probe.at[0]);
    } else {
      breaks = std::min(breaks, probe.at[0]);
    }
    if (fits > 0 && breaks < std::numeric_limits<std::int64_t>::max()) return {fits, breaks};
  }
  return {1, std::numeric_limits<std::int64_t>::max()};
}

// The edge first, then the ends, then others that have room.
void place_labels(const DrawSink& sink, Metrics metrics, const Rect& area,
                  std::vector<LineStop>& stops) {
  const float gap = metrics.px(kGap);
  const auto width_of = [&sink](const LineStop& stop) {
    return sink.text_width(TextStyle::small, text::grouped(stop.value));
  };
  const auto collides = [&](const LineStop& stop) {
    return std::ranges::any_of(stops, [&](const LineStop& other) {
      return other.labelled && stop.label_x < other.label_x + width_of(other) + gap &&
             other.label_x < stop.label_x + width_of(stop) + gap;
    });
  };
  // The edge is where the largest value that fits lies; smaller ones that do not have edges, too:
  // labelled if there is room. Its two sides may be neighbours: their labels move apart.
  for (std::size_t i = stops.size() - 1; i-- > 0;) {
    LineStop& last = stops[i];
    LineStop& first = stops[i + 1];
    if (!holds(last.fit) || holds(first.fit)) continue;
    const float together = width_of(last) + gap + width_of(first);
    last.label_x = std::clamp(last.x - width_of(last) - gap / 2, area.x0,
                              std::max(area.x0, area.x1 - together));
    first.label_x = std::max(std::min(first.x + gap / 2, area.x1 - width_of(first)),
                             last.label_x + width_of(last) + gap);
    last.labelled = first.labelled = true;
    break;
  }
  const auto label = [&](LineStop& stop) {
    if (stop.labelled) return;
    const float width = width_of(stop);
    stop.label_x = std::clamp(stop.x - width / 2, area.x0, std::max(area.x0, area.x1 - width));
    stop.labelled = !collides(stop);
  };
  label(stops.front());
  label(stops.back());
  for (LineStop& stop : stops) label(stop);
}

}  // namespace

std::vector<LineStop> bisection_stops(const DrawSink& sink, Metrics metrics, const Rect& area,
                                      std::span<const predict::HuntProbe> probes) {
  std::vector<LineStop> stops;
  const auto [least, most] = first_bracket(probes);
  for (const predict::HuntProbe& probe : probes) {
    if (probe.at[0] >= least && probe.at[0] <= most)
      stops.push_back({probe.at[0], probe.answer.fit});
  }
  std::ranges::sort(stops, {}, &LineStop::value);
  const auto alike = std::ranges::unique(stops, {}, &LineStop::value);
  stops.erase(alike.begin(), alike.end());
  if (stops.size() < 2) return {};
  const double low = std::log(static_cast<double>(stops.front().value));
  const double span = std::log(static_cast<double>(stops.back().value)) - low;
  const float radius = metrics.px(kRadius);
  const float first = area.x0 + radius;
  const float width = area.width() - 2 * radius;
  for (LineStop& stop : stops) {
    const double part = (std::log(static_cast<double>(stop.value)) - low) / span;
    stop.x = first + width * static_cast<float>(part);
  }
  place_labels(sink, metrics, area, stops);
  return stops;
}

void draw_bisection_line(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& area,
                         std::span<const LineStop> stops) {
  if (stops.empty()) return;
  const float radius = metrics.px(kRadius);
  const float thick = metrics.px(kLine);
  const float y = area.y0 + radius + metrics.px(4);
  sink.line({stops.front().x, y}, {stops.back().x, y}, theme.surface3, thick);
  // A line between two of a kind; nothing is known between one that fits and one that does not.
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const bool fit = holds(stops[i].fit);
    if (fit != holds(stops[i + 1].fit)) continue;
    sink.line({stops[i].x, y}, {stops[i + 1].x, y}, fit ? theme.ok : with_alpha(theme.bad, 0.7F),
              thick);
  }
  for (const LineStop& stop : stops) {
    if (holds(stop.fit)) {
      const Rect dot{stop.x - radius, y - radius, stop.x + radius, y + radius};
      sink.fill(dot, stop.fit == predict::Fit::fits ? theme.ok : theme.warn, radius);
    } else {
      sink.line({stop.x - radius, y - radius}, {stop.x + radius, y + radius}, theme.bad,
                metrics.px(2));
      sink.line({stop.x - radius, y + radius}, {stop.x + radius, y - radius}, theme.bad,
                metrics.px(2));
    }
    if (stop.labelled) {
      sink.text({stop.label_x, y + radius + metrics.px(4)}, TextStyle::small, theme.text2,
                text::grouped(stop.value));
    }
  }
}

}  // namespace ts::views
