#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/trace_store.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The whole capture in a strip: phases above, below the busy share of each pixel in the colour of
// the dominant class. Rebuilt when the capture grew, at most three times a second.
class Minimap {
 public:
  struct Column {
    float busy = 0;  // 0..1, for the busiest lane
    trace::SliceClass slice_class = trace::SliceClass::other;
  };

  void update(const trace::TraceStore& store, base::TimeRange range, std::int32_t pixels,
              std::int64_t now_ns);
  void clear();
  [[nodiscard]] std::span<const Column> columns() const { return columns_; }
  // Classes that occur anywhere in the capture, by index.
  [[nodiscard]] bool occurs(trace::SliceClass slice_class) const;

  void draw(DrawSink& sink, const Theme& theme, const Rect& area, base::TimeRange visible) const;

 private:
  void add_lane(std::span<const trace::VisibleSlice> boxes);

  base::TimeRange range_;
  std::int64_t made_ns_ = 0;
  std::uint64_t slices_ = 0;
  std::vector<Column> columns_;
  std::vector<trace::VisibleSlice> phases_;
  std::vector<std::array<float, trace::kSliceClassCount>> weights_;
  std::uint32_t classes_ = 0;  // bit set
};

}  // namespace ts::views
