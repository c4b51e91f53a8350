#pragma once

#include <vector>

#include "views/common/ui.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// Draws the rows below each other in the current Dear ImGui window, units in their own column. A
// value too long for its row is below its label, wrapped.
void draw_rows(const Ui& ui, const std::vector<InspectorRow>& rows);

// "Copy", at the right end of the line; true when it was pressed.
bool copy_button(const Ui& ui, const char* id);

}  // namespace ts::views
