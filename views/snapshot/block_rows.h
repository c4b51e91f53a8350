#pragma once

#include <cstdint>
#include <span>

#include "core/blocks/block_table.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/snapshot/row_table.h"

namespace ts::views {

// The groups as a table: share, weight, blocks, largest block, name. A new `version` means other
// groups.
RowTable::Answer draw_block_rows(const Ui& ui, const ViewContext& context, RowTable& table,
                                 std::span<const blocks::BlockGroup> groups, std::uint64_t version,
                                 blocks::GroupBy by, blocks::Weight weight);

}  // namespace ts::views
