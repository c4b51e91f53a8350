#pragma once

#include <vector>

#include "views/inspector/file_rows.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// What is known of an opened trace; empty where none is shown.
std::vector<InspectorRow> trace_rows(const ViewContext& context);
// How much of its time the device worked, or how long it is.
FileVerdict trace_verdict(const ViewContext& context);

}  // namespace ts::views
