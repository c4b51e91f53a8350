#pragma once

#include <filesystem>
#include <vector>

#include "core/base/message.h"

namespace ts::app {

// Replaces this process by `program`, with these files as its arguments. Open files are closed,
// threads end where they are. Returns only on failure, with the reason.
base::Message restart(const std::filesystem::path& program,
                      const std::vector<std::filesystem::path>& files);

// This program, even if the name of its file has changed since it was started.
inline const char* const kThisProgram = "/proc/self/exe";

}  // namespace ts::app
