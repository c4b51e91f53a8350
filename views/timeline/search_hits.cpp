#include "views/timeline/search_hits.h"

#include <algorithm>

namespace ts::views {
namespace {

constexpr std::int64_t kSearchPause = 250'000'000;

base::TimeRange range_of(const trace::TraceStore& store, trace::SliceRef ref) {
  const trace::Slice slice = store.slice(ref);
  return {slice.begin_ns, slice.end_ns()};
}

}  // namespace

void SearchHits::clear() {
  text_.clear();
  hits_.clear();
  lanes_.clear();
  place_ = 0;
  slices_seen_ = 0;
}

void SearchHits::update(const trace::TraceStore& store, const base::StringTable& strings,
                        const std::string& text, std::int64_t now_ns) {
  if (text.empty()) {
    clear();
    return;
  }
  const bool changed = text != text_;
  const bool grown = store.slice_count() != slices_seen_ && now_ns - asked_ns_ >= kSearchPause;
  if (!changed && !grown) return;
  if (changed) place_ = 0;
  text_ = text;
  slices_seen_ = store.slice_count();
  asked_ns_ = now_ns;
  hits_ = store.search(strings, text, kMost);
  lanes_.clear();
  for (const trace::SliceRef& ref : hits_)
    lanes_[{ref.track, ref.depth}].push_back(range_of(store, ref));
  place_ = std::min(place_, hits_.size());
}

std::span<const base::TimeRange> SearchHits::in_lane(trace::TrackId track,
                                                     std::uint16_t depth) const {
  const auto lane = lanes_.find({track, depth});
  if (lane == lanes_.end()) return {};
  return lane->second;
}

HitWalk::HitWalk(std::span<const base::TimeRange> hits, std::int64_t from_ns) : hits_(hits) {
  const auto first = std::ranges::partition_point(
      hits, [&](const base::TimeRange& hit) { return hit.end < from_ns; });
  next_ = static_cast<std::size_t>(first - hits.begin());
}

bool HitWalk::touches(base::TimeRange range) {
  // A hit of duration 0 belongs to the box in which it begins.
  while (next_ < hits_.size() && hits_[next_].end <= range.begin &&
         hits_[next_].begin < range.begin)
    ++next_;
  return next_ < hits_.size() && hits_[next_].begin < std::max(range.end, range.begin + 1);
}

std::optional<trace::SliceRef> SearchHits::step(const trace::TraceStore& store, int by,
                                                std::int64_t from_ns) {
  if (hits_.empty()) return std::nullopt;
  const std::size_t count = hits_.size();
  if (place_ == 0) {
    const auto first = std::ranges::partition_point(
        hits_, [&](trace::SliceRef ref) { return store.slice(ref).begin_ns < from_ns; });
    const auto index = static_cast<std::size_t>(first - hits_.begin());
    place_ = by > 0 ? index % count + 1 : (index + count - 1) % count + 1;
  } else {
    place_ = by > 0 ? place_ % count + 1 : (place_ + count - 2) % count + 1;
  }
  return hits_[place_ - 1];
}

}  // namespace ts::views
