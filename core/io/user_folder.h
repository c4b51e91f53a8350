#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace ts::io {

// The folder for one user's files: tensorscope in the folder that the environment variable
// `variable` names ("XDG_CACHE_HOME"), else in `below_home` (".cache") of HOME. Relative paths are
// ignored: they would depend on the current folder. The error says which variable to set.
base::Result<std::filesystem::path> user_folder(const char* variable, const char* below_home);

}  // namespace ts::io
