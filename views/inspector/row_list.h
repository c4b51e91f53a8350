#pragma once

#include <vector>

#include "views/common/ui.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// The rows one below the other in the current Dear ImGui window, units in a column of their own. A
// value too long for its row goes below its label, wrapped.
void draw_rows(const Ui& ui, const std::vector<InspectorRow>& rows);

// "Copy", at the right end of the line; true when it was pressed.
bool copy_button(const Ui& ui, const char* id);

}  // namespace ts::views
