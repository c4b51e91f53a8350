#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace ts::app {

// Shows a folder, or the folder of a file, in the desktop's file manager (xdg-open), which runs by
// itself. An error if the system has none.
base::Result<void> show_in_desktop(const std::filesystem::path& path);

}  // namespace ts::app
