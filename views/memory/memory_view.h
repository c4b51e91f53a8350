#pragma once

#include <cstdint>
#include <optional>

#include "views/common/view_state.h"
#include "views/memory/memory_chart.h"

namespace ts::views {

// Active memory in the content region of the current window: reads the user off Dear ImGui, the
// rest is MemoryChart. UI thread.
class MemoryView {
 public:
  void draw(ViewContext& context);
  // The next frame should come at once, whatever the user does.
  [[nodiscard]] bool moving() const { return chart_.moving(); }

 private:
  void menu(ViewContext& context, bool asked);
  MemoryChart chart_;
  // What the open menu is about, in the memory with that id.
  std::uint64_t menu_memory_ = 0;
  std::optional<memory::BlockIndex> menu_block_;
  memory::EventIndex menu_event_ = memory::kNone;  // that the list was about
  bool fit_next_ = false;                          // the selection is there in the next frame
  std::optional<std::int64_t> own_cursor_;         // where this view put the shared cursor
};

}  // namespace ts::views
