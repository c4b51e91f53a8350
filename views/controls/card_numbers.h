#pragma once

#include "views/controls/controls_view.h"

namespace ts::views {

// Rows of width `width` for the numbers of a typed card (core/spec/typed_card.h): memory,
// bandwidth, peaks, compute capability. Typing changes the target of the specification. Invalid
// input is reported and changes nothing. Draws nothing for a card of the list.
void draw_card_numbers(const ControlsContext& context, float width);

}  // namespace ts::views
