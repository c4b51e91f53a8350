#pragma once

#include <optional>
#include <span>

#include "core/blocks/block_table.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The groups as a table: share, bytes (or bytes x seconds), blocks, largest block, name. Ctrl+C
// copies it. Returns the group that was clicked.
std::optional<std::size_t> draw_block_rows(const Ui& ui, const ViewContext& context,
                                           std::span<const blocks::BlockGroup> groups,
                                           blocks::GroupBy by, bool bytes_times_seconds);

}  // namespace ts::views
