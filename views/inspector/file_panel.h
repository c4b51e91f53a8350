#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/files/memory_part.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The tables of a trace that have a button in its panel.
enum class TraceTable : std::uint8_t { operators, kernels };

// The user's choices in this frame.
struct FilePanelChoice {
  std::optional<std::size_t> device;  // index
  std::optional<files::MemoryPart> part;
  std::optional<TraceTable> table;  // to be opened
};

// The panel of an opened file in the current Dear ImGui window: a choice of device, stream and pool
// where there are several, the file's facts, and the allocator's settings; of a trace the tables
// that it has.
FilePanelChoice draw_file_panel(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
