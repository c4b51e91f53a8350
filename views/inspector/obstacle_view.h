#pragma once

#include <optional>

#include "core/predict/outlook.h"
#include "views/common/ui.h"

namespace ts::views {

// Under the verdict: that this machine cannot run the settings and why, where only the card could,
// and buttons for settings close to them that can run. Draws nothing where there is no obstacle.
// Returns the settings of the button that was pressed.
std::optional<spec::WorkloadSpec> draw_obstacle(const Ui& ui, const predict::Outlook& outlook);

// These buttons alone, in one row behind their words, as many as end before `right` on the screen.
std::optional<spec::WorkloadSpec> draw_repairs_row(const Ui& ui, const predict::Outlook& outlook,
                                                   float right);
// How wide that row is with all of them.
float repairs_row_width(const Ui& ui, const predict::Outlook& outlook);

}  // namespace ts::views
