#include "views/timeline/timeline_regions.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

constexpr float kTitle = 38;
constexpr float kLegendRow = 20;
constexpr float kMap = 26;
constexpr float kRuler = 22;
constexpr float kLabels = 146;
constexpr float kPadding = 14;
constexpr float kLeastTracks = 84;  // four rows
constexpr float kLeastCounter = 58;
constexpr float kMostCounter = 116;     // while tracks need the room
constexpr float kLargestCounter = 240;  // when they do not

}  // namespace

TimelineRegions lay_out_timeline(const Rect& area, Metrics metrics, bool legend_row,
                                 bool has_memory) {
  const auto px = [&](float value) { return std::round(metrics.px(value)); };
  TimelineRegions out;
  out.all = area;
  const float left = area.x0 + px(kPadding);
  const float right = std::max(left, area.x1 - px(kPadding));
  // On a narrow panel the names get less width, in favour of the plot.
  const float labels = std::min(px(kLabels), std::round((right - left) * 0.25F));
  const float split = std::round(left + labels);
  const float height = area.height();

  float y = area.y0;
  const float title = std::min(px(kTitle), height);
  out.title = {left, y, right, y + title};
  y += title;

  const float fixed = px(kTitle) + px(kRuler) + px(kLeastTracks);
  const bool map = height >= fixed + px(kMap);
  const bool counter = has_memory && height >= fixed + px(kMap) + px(kLeastCounter);
  if (legend_row && height >= fixed + px(kMap) + px(kLeastCounter) + px(kLegendRow)) {
    // Close below the title text.
    out.legend = {left, y - px(6), right, y + px(kLegendRow) - px(6)};
    y += px(kLegendRow);
  }
  if (map) {
    out.map_label = {left, y, split, y + px(kMap)};
    out.map = {split, y + px(3), right, y + px(kMap) - px(3)};
    y += px(kMap);
  }
  const float ruler = std::min(px(kRuler), area.y1 - y);
  out.ruler_label = {left, y, split, y + ruler};
  out.ruler = {split, y, right, y + ruler};
  y += ruler;
  float bottom = area.y1;
  if (counter) {
    const float size = std::clamp(std::round(height * 0.24F), px(kLeastCounter), px(kMostCounter));
    out.counter_label = {left, bottom - size, split, bottom};
    out.counter = {split, bottom - size, right, bottom};
    bottom -= size;
  }
  out.labels = {left, y, split, std::max(y, bottom)};
  out.plot = {split, y, right, std::max(y, bottom)};
  return out;
}

void give_room_to_counter(TimelineRegions& regions, float tracks_height, Metrics metrics) {
  const float spare = std::floor(regions.plot.height() - tracks_height);
  if (!regions.has_counter() || spare <= 0) return;
  regions.plot.y1 -= spare;
  regions.labels.y1 -= spare;
  const float height =
      std::min(regions.counter.height() + spare, std::round(metrics.px(kLargestCounter)));
  regions.counter.y0 = regions.counter_label.y0 = regions.plot.y1;
  regions.counter.y1 = regions.counter_label.y1 = regions.plot.y1 + height;
}

}  // namespace ts::views
