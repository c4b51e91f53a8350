#pragma once

#include <optional>

#include "core/predict/outlook.h"
#include "views/common/ui.h"

namespace ts::views {

// Below the verdict, if only the card could run the settings: why this machine cannot, and buttons
// for similar settings that can run. Draws nothing if there is no obstacle. Returns the settings of
// the button that was pressed.
std::optional<spec::WorkloadSpec> draw_obstacle(const Ui& ui, const predict::Outlook& outlook);

// These buttons alone, in one row after their words. Only buttons that end before `right` on the
// screen are drawn.
std::optional<spec::WorkloadSpec> draw_repairs_row(const Ui& ui, const predict::Outlook& outlook,
                                                   float right);
// Width of that row with all buttons.
float repairs_row_width(const Ui& ui, const predict::Outlook& outlook);

}  // namespace ts::views
