#pragma once

#include <string>

#include "core/files/replay_answer.h"
#include "views/common/ui.h"

namespace ts::views {

// Why more is reserved than was asked for, at one moment of an opened snapshot: a sentence, the
// parts, and what would be reserved with other settings; with a button that copies it. In the rest
// of the current window. `moment`: null while it is computed first. `current`: it is the moment
// that is shown; else it is faint, because a newer one is being computed.
void draw_reserved(const Ui& ui, const files::ReservedMoment* moment, bool current);

// All of it as text for the clipboard: the sentence and both tables, with exact bytes.
std::string reserved_text(const allocator::ReservedAnswer& answer, const text::Texts& texts);

}  // namespace ts::views
