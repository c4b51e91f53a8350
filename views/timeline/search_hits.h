#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace_store.h"

namespace ts::views {

// The hits of the search field. Searched again when the text changed, and while the store grows at
// most four times a second.
class SearchHits {
 public:
  static constexpr std::size_t kMost = 100'000;

  void update(const trace::TraceStore& store, const base::StringTable& strings,
              const std::string& text, std::int64_t now_ns);
  void clear();

  [[nodiscard]] bool active() const { return !text_.empty(); }
  [[nodiscard]] std::size_t count() const { return hits_.size(); }
  [[nodiscard]] bool capped() const { return hits_.size() >= kMost; }
  // Ranges of the hits of a lane, by time; they do not overlap.
  [[nodiscard]] std::span<const base::TimeRange> in_lane(trace::TrackId track,
                                                         std::uint16_t depth) const;
  // 1-based index of the current hit. 0 before the first step.
  [[nodiscard]] std::size_t place() const { return place_; }
  // The hit `by` positions further (1 next, -1 previous), cyclic. The first step selects the hit
  // nearest after `from_ns`.
  std::optional<trace::SliceRef> step(const trace::TraceStore& store, int by, std::int64_t from_ns);

 private:
  std::string text_;
  std::uint64_t slices_seen_ = 0;
  std::int64_t asked_ns_ = 0;
  std::size_t place_ = 0;
  std::vector<trace::SliceRef> hits_;  // by time
  std::map<std::pair<trace::TrackId, std::uint16_t>, std::vector<base::TimeRange>> lanes_;
};

// Walks through the hits of a lane in parallel with its boxes.
class HitWalk {
 public:
  HitWalk(std::span<const base::TimeRange> hits, std::int64_t from_ns);
  // True if a hit touches [begin, end). Successive ranges must be in time order.
  bool touches(base::TimeRange range);

 private:
  std::span<const base::TimeRange> hits_;
  std::size_t next_ = 0;
};

}  // namespace ts::views
