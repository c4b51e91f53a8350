#pragma once

#include "core/base/message.h"
#include "core/calculate/inputs.h"
#include "views/common/ui.h"

namespace ts::views {

// Sliders, switches and fields for the numbers of a calculator or a stepper, one below the other.
// `problem` is kept by the caller: why the last typed number was not taken; empty: it was. Returns
// whether a number changed.
bool draw_chosen_inputs(const Ui& ui, calculate::Chosen& chosen, base::Message& problem);

}  // namespace ts::views
