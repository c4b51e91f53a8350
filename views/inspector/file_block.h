#pragma once

#include <string>
#include <vector>

#include "core/blocks/block_facts.h"
#include "views/common/ui.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// The selected block of an opened snapshot: what the file says of it beyond what every run knows.
// Unset without one.
std::optional<blocks::BlockFacts> selected_block_facts(const ViewContext& context);

// Address, event, stream, pool, running total, rounded size, compile context, user metadata.
std::vector<InspectorRow> file_block_rows(const ViewContext& context);

// The stack for the clipboard: all frames in their order, with full paths, then the frames of the
// forward that caused a backward. Empty if there is none.
std::string stack_as_text(const ViewContext& context);

// The stack: frames of the program, then of libraries; those of PyTorch and of the interpreter are
// folded. With a Copy button.
void draw_file_stack(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
