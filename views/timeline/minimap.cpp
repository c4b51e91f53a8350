#include "views/timeline/minimap.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"
#include "views/charts/time_axis.h"
#include "views/common/marks.h"

namespace ts::views {
namespace {

constexpr std::int64_t kRedrawPause = 330'000'000;

}  // namespace

void Minimap::clear() {
  *this = Minimap();
}

bool Minimap::occurs(trace::SliceClass slice_class) const {
  return (classes_ >> static_cast<unsigned>(slice_class) & 1U) != 0;
}

void Minimap::update(const trace::TraceStore& store, base::TimeRange range, std::int32_t pixels,
                     std::int64_t now_ns) {
  const auto count = static_cast<std::size_t>(std::max(pixels, 1));
  const bool same_shape = count == columns_.size();
  const bool same_data = slices_ == store.slice_count() && range == range_;
  if (same_shape && (same_data || (made_ns_ != 0 && now_ns - made_ns_ < kRedrawPause))) return;
  range_ = range;
  made_ns_ = now_ns;
  slices_ = store.slice_count();
  columns_.assign(count, {});
  weights_.assign(count, {});
  phases_.clear();
  classes_ = 0;
  if (range.empty()) return;

  std::vector<trace::VisibleSlice> lane;
  const auto tracks = store.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto track = static_cast<trace::TrackId>(t);
    const bool phases = tracks[t].kind == trace::TrackKind::phases;
    for (std::uint16_t depth = 0; depth < store.depth_count(track); ++depth) {
      store.query(track, depth, range, pixels, lane);
      if (!phases) {
        add_lane(lane);
        continue;
      }
      for (const trace::VisibleSlice& box : lane)
        if (box.slice_class != trace::SliceClass::step) phases_.push_back(box);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto most = std::ranges::max_element(weights_[i]);
    columns_[i].slice_class = static_cast<trace::SliceClass>(most - weights_[i].begin());
  }
}

void Minimap::add_lane(std::span<const trace::VisibleSlice> boxes) {
  const double per_pixel =
      static_cast<double>(range_.length()) / static_cast<double>(columns_.size());
  const auto last = static_cast<std::int64_t>(columns_.size()) - 1;
  std::vector<float> covered(columns_.size(), 0.0F);
  for (const trace::VisibleSlice& box : boxes) {
    if (box.slice_class < trace::SliceClass::matmul) continue;
    classes_ |= 1U << static_cast<unsigned>(box.slice_class);
    const double begin = static_cast<double>(box.begin_ns - range_.begin) / per_pixel;
    const double end = static_cast<double>(box.end_ns - range_.begin) / per_pixel;
    const auto from = std::clamp(static_cast<std::int64_t>(begin), std::int64_t{0}, last);
    const auto to = std::clamp(static_cast<std::int64_t>(end), std::int64_t{0}, last);
    for (std::int64_t i = from; i <= to; ++i) {
      const double part =
          std::min(end, static_cast<double>(i + 1)) - std::max(begin, static_cast<double>(i));
      if (part <= 0) continue;
      const float weight = static_cast<float>(part) * box.busy;
      const auto column = static_cast<std::size_t>(i);
      covered[column] += weight;
      // Wrappers without a class of their own must not dominate the operators that they call.
      const bool vague = box.slice_class == trace::SliceClass::other;
      weights_[column][static_cast<std::size_t>(box.slice_class)] += vague ? weight / 4 : weight;
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].busy = std::min(1.0F, std::max(columns_[i].busy, covered[i]));
}

void Minimap::draw(DrawSink& sink, const Theme& theme, const Rect& area,
                   base::TimeRange visible) const {
  if (columns_.empty() || range_.empty()) return;
  const TimeAxis axis{range_, area.x0, area.x1};
  const float split = std::round(area.y0 + area.height() * 0.34F);
  for (const trace::VisibleSlice& box : phases_) {
    const float x0 = std::clamp(std::round(axis.x_of(box.begin_ns)), area.x0, area.x1);
    const float x1 = std::clamp(std::round(axis.x_of(box.end_ns)), x0, area.x1);
    if (x1 > x0)
      sink.fill({x0, area.y0, x1, split}, theme.slice[static_cast<std::size_t>(box.slice_class)]);
  }
  const float floor = area.y1;
  const float tallest = floor - split - 1;
  const auto top_of = [&](const Column& column) {
    return column.busy <= 0 ? floor : std::round(floor - std::max(2.0F, tallest * column.busy));
  };
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= columns_.size(); ++i) {
    const bool same = i < columns_.size() &&
                      columns_[i].slice_class == columns_[begin].slice_class &&
                      top_of(columns_[i]) == top_of(columns_[begin]);
    if (same) continue;
    const float top = top_of(columns_[begin]);
    if (top < floor) {
      const Color color = theme.slice[static_cast<std::size_t>(columns_[begin].slice_class)];
      sink.fill({area.x0 + static_cast<float>(begin), top,
                 std::min(area.x1, area.x0 + static_cast<float>(i)), floor},
                mixed(theme.surface, color, 0.8F));
    }
    begin = i;
  }

  draw_brush(sink, theme, area, axis.x_of(visible.begin), axis.x_of(visible.end));
}

}  // namespace ts::views
