#include "views/memory/memory_regions.h"

#include <algorithm>
#include <cmath>

namespace ts::views {
namespace {

constexpr float kTitle = 38;
constexpr float kLegendRow = 20;
constexpr float kPadding = 14;
constexpr float kLabels = 50;
constexpr float kBands = 20;
constexpr float kAxis = 22;
constexpr float kSteps = 18;
constexpr float kMap = 24;
constexpr float kMapGap = 4;
constexpr float kList = 250;
constexpr float kListGap = 24;
constexpr float kLeastPlotWidth = 420;
constexpr float kLeastListHeight = 230;
constexpr float kLeastPlotHeight = 120;

}  // namespace

MemoryRegions lay_out_memory(const Rect& area, Metrics metrics, bool legend_row, bool of_file) {
  const auto px = [&](float value) { return std::round(metrics.px(value)); };
  MemoryRegions out;
  out.all = area;
  const float left = area.x0 + px(kPadding);
  float right = std::max(left, area.x1 - px(kPadding));
  float y = area.y0;
  const float title = std::min(px(kTitle), area.height());
  out.title = {left, y, right, y + title};
  y += title;
  constexpr float kNeeded = kTitle + kLegendRow + kBands + kLeastPlotHeight + kAxis + kSteps;
  if (legend_row && area.height() >= px(kNeeded) + px(6)) {
    // Close below the title text.
    out.legend = {left, y - px(6), right, y + px(kLegendRow) - px(6)};
    y += px(kLegendRow);
  }

  const bool list = right - left >= px(kLabels + kLeastPlotWidth + kListGap + kList) &&
                    area.y1 - y >= px(kLeastListHeight);
  if (list) {
    out.list = {right - px(kList), y, right, area.y1 - px(6)};
    right = out.list.x0 - px(kListGap);
  }
  const float x0 = std::min(left + px(kLabels), right);
  float bottom = area.y1 - std::min(px(4), area.y1 - y);
  if (of_file && bottom - y >= px(kBands + 2 * kLeastPlotHeight + kAxis + 2 * kSteps)) {
    out.hint = {x0, bottom - px(kSteps), right, bottom};
    bottom -= px(kSteps);
  }
  if (of_file && bottom - y >= px(kBands + 2 * kLeastPlotHeight + kAxis + kSteps + kMap)) {
    out.map = {x0, bottom - px(kMap), right, bottom};
    bottom -= px(kMap + kMapGap);
  }
  if (bottom - y >= px(kBands + kLeastPlotHeight + kAxis + kSteps)) {
    out.steps = {x0, bottom - px(kSteps), right, bottom};
    bottom -= px(kSteps);
  }
  const float axis = std::min(px(kAxis), bottom - y);
  out.x_labels = {x0, bottom - axis, right, bottom};
  bottom -= axis;
  const float bands = std::min(px(kBands), bottom - y);
  out.bands = {x0, y, right, y + std::max(0.0F, bands - px(2))};
  out.plot = {x0, std::min(y + bands, bottom), right, bottom};
  out.y_labels = {left, out.plot.y0, x0, out.plot.y1};
  return out;
}

}  // namespace ts::views
