#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "views/common/context_menu.h"
#include "views/common/view_state.h"
#include "views/memory/memory_chart.h"

namespace ts::views {

// Active memory in the content region of the current window. Reads the input from Dear ImGui;
// MemoryChart does the rest. UI thread.
class MemoryView {
 public:
  // `of_panel`: rows about the panel as a whole, at the end of its context menu.
  void draw(ViewContext& context, std::span<const MenuRow> of_panel = {});
  // Returns when no other thread reads the shown log any more.
  void stop_painting() { chart_.stop_painting(); }
  [[nodiscard]] const MemoryChart& chart() const { return chart_; }
  // Draw the next frame at once, without waiting for input.
  [[nodiscard]] bool moving() const { return chart_.moving(); }

 private:
  void draw(DrawSink& sink, const Rect& area, ViewContext& context,
            std::span<const MenuRow> of_panel);
  void menu(ViewContext& context, bool asked, std::span<const MenuRow> of_panel);
  [[nodiscard]] std::vector<MenuRow> block_rows(ViewContext& context, const MemorySource& source);
  MemoryChart chart_;
  // The subject of the open menu, in the memory source with that id.
  std::uint64_t menu_memory_ = 0;
  std::optional<memory::BlockIndex> menu_block_;
  memory::EventIndex menu_event_ = memory::kNone;  // event that the list showed
  bool fit_next_ = false;                          // in the next frame, with the selection set
  std::optional<std::int64_t> own_cursor_;         // where this view set the shared cursor
};

}  // namespace ts::views
