#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/trace/trace_store.h"

namespace ts::views {

// Answers of range queries of the lanes in view, asked again only when the view moved or the lane
// grew. With millions of slices one query of every lane costs more than a frame may: while the view
// moves they are asked for fewer, wider columns, as many as there is time for, and once it rests
// they are made exact, lane by lane.
class LaneCache {
 public:
  // CPU time of queries a frame may spend, in nanoseconds.
  static constexpr std::int64_t kBudget = 900'000;
  static constexpr std::int32_t kCoarsest = 16;  // pixels a column

  void new_frame();
  // The view of this frame; may be told more than once, the last counts.
  void look_at(base::TimeRange range, std::int32_t pixels);
  std::span<const trace::VisibleSlice> visible(const trace::TraceStore& store, trace::TrackId track,
                                               std::uint16_t depth);
  // Some lane is coarser than the screen: the next frame makes it better.
  [[nodiscard]] bool refining() const { return refining_; }
  void clear() { *this = LaneCache(); }

 private:
  struct Lane {
    base::TimeRange range;
    std::int32_t pixels = 0;  // of the view
    std::int32_t coarse = 1;  // pixels a column
    std::uint32_t size = 0;
    std::uint64_t frame = 0;  // last used in
    std::vector<trace::VisibleSlice> slices;
  };
  void ask(const trace::TraceStore& store, trace::TrackId track, std::uint16_t depth, Lane& lane,
           std::int32_t coarse);
  // Pixels a column for the next lane of a moving view, so that what is left of the budget lasts
  // for the lanes that are still to come.
  [[nodiscard]] std::int32_t affordable() const;

  std::map<std::pair<trace::TrackId, std::uint16_t>, Lane> lanes_;
  base::TimeRange range_;
  std::int32_t pixels_ = 1;
  std::uint64_t frame_ = 0;
  bool moved_ = false;
  bool refining_ = false;
  std::int64_t spent_ns_ = 0;      // in this frame
  std::int32_t asked_ = 0;         // lanes used in this frame
  std::int32_t asked_before_ = 0;  // and in the one before
  double column_ns_ = 0;           // what a column costs, a running mean
};

}  // namespace ts::views
