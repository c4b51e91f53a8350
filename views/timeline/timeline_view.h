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
  void menu(ViewContext& context, const ChartInput& input);
  void search_field(ViewContext& context, DrawSink& sink);
  bool key_button(const ViewContext& context, DrawSink& sink, TimelineChart::Item item,
                  const char* id, const char* icon, const char* label, const char* key);

  TimelineChart chart_;
  std::array<char, 256> search_{};
  bool focus_search_ = false;
  bool typing_ = false;
  // What the open menu is about, of that run.
  run::RunId menu_run_ = 0;
  std::optional<trace::SliceRef> menu_slice_;
  std::optional<trace::TrackId> menu_track_;
  // The keys of the menu's rows, for the next frame: the selection is there by then.
  bool fit_next_ = false;
  bool mark_next_ = false;
  std::optional<std::int64_t> own_cursor_;  // where this view put the shared cursor
};

}  // namespace ts::views
