#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace ts::io {

// Writes a ZIP archive of all files below a folder, deflated, under NAME/ with their relative
// paths, sorted; links and hidden files are left out. The archive is written like any file of the
// program: nobody sees half of it. Files are read one by one and must be smaller than 4 GiB, as
// must the archive. The same files give the same bytes.
base::Result<void> write_zip(const std::filesystem::path& archive,
                             const std::filesystem::path& folder, const std::string& name);

}  // namespace ts::io
