#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// Picks blocks of a device, in place of those picked there before. A search gives way.
void add_pick(ViewState& state, std::uint64_t id, std::vector<memory::BlockIndex> blocks);

// The context menu of a row of a table: what its blocks hold. `clicked`: its row was right-clicked
// in this frame. `name` heads the menu.
void draw_rows_menu(const Ui& ui, ViewContext& context, bool clicked, const std::string& name,
                    const std::function<std::vector<memory::BlockIndex>()>& blocks);

}  // namespace ts::views
