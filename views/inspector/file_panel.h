#pragma once

#include <cstddef>
#include <optional>

#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The panel of an opened file in the current Dear ImGui window: a device choice if there are
// several, the file's facts, and the allocator's settings. Returns the index of the device that the
// user chose in this frame.
std::optional<std::size_t> draw_file_panel(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
