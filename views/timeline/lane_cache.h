#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/trace/trace_store.h"

namespace ts::views {

// Results of range queries for the lanes in view. A lane is queried again only when the view moved
// or the lane grew. With millions of slices, querying every lane exactly costs more than a frame.
// While the view moves, queries use fewer, wider columns, within the time budget. When it rests,
// lanes become exact one by one.
class LaneCache {
 public:
  // CPU time for queries per frame, in nanoseconds.
  static constexpr std::int64_t kBudget = 900'000;
  static constexpr std::int32_t kCoarsest = 16;  // pixels per column

  void new_frame();
  // Sets the view of this frame. May be called several times; the last call counts.
  void look_at(base::TimeRange range, std::int32_t pixels);
  std::span<const trace::VisibleSlice> visible(const trace::TraceStore& store, trace::TrackId track,
                                               std::uint16_t depth);
  // Some lane is coarser than the screen. The next frame improves it.
  [[nodiscard]] bool refining() const { return refining_; }
  void clear() { *this = LaneCache(); }

 private:
  struct Lane {
    base::TimeRange range;
    std::int32_t pixels = 0;  // of the view
    std::int32_t coarse = 1;  // pixels per column
    std::uint32_t size = 0;
    std::uint64_t frame = 0;  // last frame that used it
    std::vector<trace::VisibleSlice> slices;
  };
  void ask(const trace::TraceStore& store, trace::TrackId track, std::uint16_t depth, Lane& lane,
           std::int32_t coarse);
  // Pixels per column for the next lane of a moving view, so that the rest of the budget suffices
  // for the remaining lanes.
  [[nodiscard]] std::int32_t affordable() const;

  std::map<std::pair<trace::TrackId, std::uint16_t>, Lane> lanes_;
  base::TimeRange range_;
  std::int32_t pixels_ = 1;
  std::uint64_t frame_ = 0;
  bool moved_ = false;
  bool refining_ = false;
  std::int64_t spent_ns_ = 0;      // in this frame
  std::int32_t asked_ = 0;         // lanes used in this frame
  std::int32_t asked_before_ = 0;  // lanes used in the frame before
  double column_ns_ = 0;           // cost of a column, a running mean
};

}  // namespace ts::views
