#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// Prints what differs between two points of a sweep: operators, modules and memory. Returns the
// exit code: 2 when there is no such sweep or point.
int compare_points(const CompareCommand& command);

}  // namespace ts::app
