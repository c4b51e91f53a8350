#pragma once

#include <string>

#include "core/files/replay_answer.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// Why more is reserved than was asked for, at one moment of an opened snapshot: a sentence, the
// parts, and what would be reserved with other settings. Can be copied.
class ReservedView {
 public:
  // In the rest of the current window. `current`: the answer is that of the moment that is shown;
  // else it is faint, because a newer one is being computed.
  static void draw(const Ui& ui, const files::ReservedMoment* moment, bool current);
};

// All of it as text for the clipboard: the sentence and both tables, with exact bytes.
std::string reserved_text(const allocator::ReservedAnswer& answer, const text::Texts& texts);

}  // namespace ts::views
