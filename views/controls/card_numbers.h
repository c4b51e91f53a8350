#pragma once

#include "views/controls/controls_view.h"

namespace ts::views {

// The numbers of a card that is typed (core/spec/typed_card.h), a row for each, `width` wide:
// memory, bandwidth, peaks, compute capability. What is typed changes the target of the
// specification; what cannot be read is named and changes nothing. Nothing is drawn for a card of
// the list.
void draw_card_numbers(const ControlsContext& context, float width);

}  // namespace ts::views
