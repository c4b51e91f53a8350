#pragma once

#include <cstddef>
#include <optional>

#include "core/predict/hunt_progress.h"
#include "views/common/ui.h"

namespace ts::views {

// Every real run with what it found, then every probe with its reason, both the newest first, in
// the rest of the current window down to `height`. `memory`: of the card, bytes. Returns the cell
// whose row was pressed.
std::optional<std::size_t> draw_hunt_log(const Ui& ui, const predict::HuntMap& map,
                                         std::int64_t memory, float height);

// The bisection of the exact edge in the row of the map at `y`, one line a probe, in the order it
// went, and all of them on a number line; while it is looked for, or the hunt is that of earlier
// settings (`outdated`), as much room with a sentence, and nothing where there was none. Returns
// the value of the first axis whose line was pressed.
std::optional<std::int64_t> draw_bisection(const Ui& ui, const predict::HuntProgress& hunt,
                                           std::int64_t y, bool outdated);

}  // namespace ts::views
