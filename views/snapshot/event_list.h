#pragma once

#include <cstddef>
#include <optional>

#include "core/blocks/allocator_history.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The events of a device's trace, each with its number, action, size, and where it comes from. Rows
// are made for what is in view only.
class EventList {
 public:
  // Fills the rest of the current window. The event that happened last before the shown state is
  // marked. Returns the state that was chosen, as a number of events that have happened: by a
  // click, or by the keys up and down, Page Up and Page Down, Home and End while the list has the
  // focus.
  std::optional<std::size_t> draw(const Ui& ui, ViewContext& context,
                                  const blocks::AllocatorHistory& history);

 private:
  std::size_t seen_ = 0;  // the state that the list last scrolled to
};

}  // namespace ts::views
