#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// tensorscope: the window. Returns the exit code: 1 when no window can be opened.
int open_window(const WindowCommand& command);

}  // namespace ts::app
