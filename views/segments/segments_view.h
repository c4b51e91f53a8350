#pragma once

#include "views/segments/segment_map.h"

namespace ts::views {

// The segments of an opened snapshot in the content region of the current window: reads input from
// Dear ImGui, SegmentMap does the rest. UI thread.
class SegmentsView {
 public:
  void draw(ViewContext& context);

 private:
  SegmentMap map_;
};

}  // namespace ts::views
