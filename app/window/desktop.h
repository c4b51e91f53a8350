#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace ts::app {

// Shows a file's folder, or a folder, in the desktop's own program for files (xdg-open), which goes
// on by itself. An error where the system has none.
base::Result<void> show_in_desktop(const std::filesystem::path& path);

}  // namespace ts::app
