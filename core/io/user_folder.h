#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace ts::io {

// Where the program keeps what is one user's: folder tensorscope in the folder that the environment
// variable `variable` names ("XDG_CACHE_HOME"), else in `below_home` (".cache") of HOME. Paths that
// are not absolute do not count: they would mean the current folder. The error says what to set.
base::Result<std::filesystem::path> user_folder(const char* variable, const char* below_home);

}  // namespace ts::io
