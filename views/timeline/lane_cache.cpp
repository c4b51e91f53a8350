#include "views/timeline/lane_cache.h"

#include <algorithm>

namespace ts::views {
namespace {

constexpr double kForget = 0.2;

}  // namespace

void LaneCache::new_frame() {
  ++frame_;
  asked_before_ = asked_;
  asked_ = 0;
  spent_ns_ = 0;
  moved_ = false;
  refining_ = false;
}

void LaneCache::look_at(base::TimeRange range, std::int32_t pixels) {
  if (range == range_ && pixels == pixels_) return;
  // The first view is not a move: it is drawn exactly at once.
  moved_ = pixels == pixels_ && !range_.empty();
  range_ = range;
  pixels_ = pixels;
}

std::int32_t LaneCache::affordable() const {
  // asked_ already counts the next lane. Computed again for every lane: if one costs more than the
  // mean (memory not in the cache), the later lanes get less and the frame stays in budget.
  const double lanes = std::max(1, asked_before_ - asked_ + 1);
  const double left = static_cast<double>(std::max<std::int64_t>(kBudget - spent_ns_, 0));
  std::int32_t coarse = 1;
  while (coarse < kCoarsest && lanes * pixels_ * column_ns_ > left * coarse) coarse *= 2;
  return coarse;
}

void LaneCache::ask(const trace::TraceStore& store, trace::TrackId track, std::uint16_t depth,
                    Lane& lane, std::int32_t coarse) {
  const std::int64_t begin = base::now_ns();
  const std::int32_t columns = std::max(1, pixels_ / coarse);
  store.query(track, depth, range_, columns, lane.slices);
  const std::int64_t cost = base::now_ns() - begin;
  spent_ns_ += cost;
  column_ns_ += kForget * (static_cast<double>(cost) / static_cast<double>(columns) - column_ns_);
  lane.range = range_;
  lane.pixels = pixels_;
  lane.coarse = coarse;
  lane.size = store.lane_size(track, depth);
}

std::span<const trace::VisibleSlice> LaneCache::visible(const trace::TraceStore& store,
                                                        trace::TrackId track, std::uint16_t depth) {
  Lane& lane = lanes_[{track, depth}];
  if (lane.frame != frame_) {
    lane.frame = frame_;
    ++asked_;
  }
  const bool here = lane.range == range_ && lane.pixels == pixels_;
  if (!here || lane.size != store.lane_size(track, depth)) {
    ask(store, track, depth, lane, moved_ ? affordable() : 1);
  } else if (lane.coarse > 1 && !moved_ && spent_ns_ < kBudget) {
    ask(store, track, depth, lane, 1);
  }
  refining_ = refining_ || lane.coarse > 1;
  return lane.slices;
}

}  // namespace ts::views
