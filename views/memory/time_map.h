#pragma once

#include <cstdint>
#include <vector>

#include "views/charts/totals_index.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/memory/memory_axis.h"

namespace ts::views {

// The whole log in a strip: the largest total of each pixel, with the part in view. Made anew when
// the log has grown or the axis has changed.
class TimeMap {
 public:
  // `axis`: all of it, over the strip. The totals are those of all events of the log.
  void update(const memory::AllocationLog& log, const TotalsIndex& totals, const MemoryAxis& axis);
  void clear() { *this = {}; }
  void draw(DrawSink& sink, const Theme& theme, const Rect& area, base::TimeRange visible) const;
  [[nodiscard]] const std::vector<std::int64_t>& totals() const { return most_of_; }

 private:
  MemoryAxis axis_;
  std::uint32_t events_ = 0;
  std::vector<std::int64_t> most_of_;  // by pixel
};

}  // namespace ts::views
