#pragma once

#include <cstddef>
#include <optional>

#include "core/predict/hunt_progress.h"
#include "views/common/ui.h"

namespace ts::views {

// Draws every real run with its result, then every probe with its reason, both newest first, in the
// rest of the current window down to `height`. `memory`: of the card, bytes. Returns the cell whose
// row was pressed.
std::optional<std::size_t> draw_hunt_log(const Ui& ui, const predict::HuntMap& map,
                                         std::int64_t memory, float height);

// Draws the bisection of the exact edge in the map's row `y`: one line a probe, in search order,
// and all of them on a number line. While the search runs, or if the hunt is of earlier settings
// (`outdated`), a sentence takes the same room; without a search nothing is drawn. Returns the
// value of the first axis whose line was pressed, or the edge itself, which has a button.
std::optional<std::int64_t> draw_bisection(const Ui& ui, const predict::HuntProgress& hunt,
                                           std::int64_t y, bool outdated);

}  // namespace ts::views
