#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "views/common/view_state.h"
#include "views/timeline/timeline_chart.h"

namespace ts::views {

// The timeline in the content region of the current window: reads the user off Dear ImGui, the rest
// is TimelineChart. UI thread.
class TimelineView {
 public:
  void draw(ViewContext& context);
  // The next frame should come at once, whatever the user does.
  [[nodiscard]] bool moving() const { return chart_.moving(); }

 private:
  void search_field(ViewContext& context, DrawSink& sink);
  bool key_button(const ViewContext& context, DrawSink& sink, TimelineChart::Item item,
                  const char* id, const char* icon, const char* label, const char* key);

  TimelineChart chart_;
  std::array<char, 256> search_{};
  bool focus_search_ = false;
  bool typing_ = false;
  std::optional<std::int64_t> own_cursor_;  // where this view put the shared cursor
};

}  // namespace ts::views
