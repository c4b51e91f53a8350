#pragma once

#include <cstddef>
#include <optional>

#include "core/run/hunt_map.h"
#include "views/common/ui.h"

namespace ts::views {

// Every probe with its reason, the newest first, in the rest of the current window down to
// `height`. Returns the cell whose row was pressed.
std::optional<std::size_t> draw_hunt_log(const Ui& ui, const run::HuntMap& map, float height);

}  // namespace ts::views
