#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "views/common/context_menu.h"
#include "views/common/view_state.h"
#include "views/timeline/timeline_chart.h"

namespace ts::views {

// The timeline in the content region of the current window. Reads the input from Dear ImGui;
// TimelineChart does the rest. UI thread.
class TimelineView {
 public:
  // `of_panel`: rows about the panel as a whole, at the end of its context menu.
  void draw(ViewContext& context, std::span<const MenuRow> of_panel = {});
  [[nodiscard]] const TimelineChart& chart() const { return chart_; }
  // Draw the next frame at once, without waiting for input.
  [[nodiscard]] bool moving() const { return chart_.moving(); }

 private:
  void draw(DrawSink& sink, const Rect& area, ViewContext& context,
            std::span<const MenuRow> of_panel);
  void menu(ViewContext& context, const ChartInput& input, std::span<const MenuRow> of_panel);
  void search_field(ViewContext& context, DrawSink& sink);
  bool key_button(const ViewContext& context, DrawSink& sink, TimelineChart::Item item,
                  const char* id, const char* icon, const char* label, const char* key);

  TimelineChart chart_;
  bool focus_search_ = false;
  bool typing_ = false;
  // The subject of the open menu, in that run.
  run::RunId menu_run_ = 0;
  std::optional<trace::SliceRef> menu_slice_;
  std::optional<trace::TrackId> menu_track_;
  // Menu actions for the next frame, when the selection is set.
  bool fit_next_ = false;
  bool mark_next_ = false;
  std::optional<std::int64_t> own_cursor_;  // where this view set the shared cursor
};

}  // namespace ts::views
