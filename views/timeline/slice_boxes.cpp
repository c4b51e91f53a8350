#include "views/timeline/slice_boxes.h"

#include <algorithm>
#include <cmath>

namespace ts::views {

void place_boxes(std::span<const trace::VisibleSlice> slices, const TimeAxis& axis, const Rect& row,
                 float gap, std::vector<SliceBox>& out) {
  out.clear();
  float taken = row.x0;
  for (const trace::VisibleSlice& slice : slices) {
    const float begin = std::round(axis.x_of(slice.begin_ns));
    const float end = std::round(axis.x_of(slice.end_ns));
    const float x0 = std::max(begin, taken);
    float x1 = std::min(std::max(end, begin + 1), row.x1);
    if (x1 - x0 < 1) continue;
    taken = x1;
    if (x1 - x0 >= 3 * gap && x1 < row.x1) x1 -= gap;
    out.push_back({{x0, row.y0, x1, row.y1}, slice});
  }
}

const SliceBox* box_at(std::span<const SliceBox> boxes, float x, float reach) {
  const auto after =
      std::ranges::upper_bound(boxes, x, {}, [](const SliceBox& box) { return box.rect.x0; });
  const SliceBox* best = nullptr;
  float distance = reach;
  const auto consider = [&](const SliceBox& box) {
    const float away = std::max({box.rect.x0 - x, x - box.rect.x1, 0.0F});
    if (away > distance || (best != nullptr && away == distance)) return;
    best = &box;
    distance = away;
  };
  if (after != boxes.begin()) consider(*std::prev(after));
  if (after != boxes.end()) consider(*after);
  return best;
}

}  // namespace ts::views
