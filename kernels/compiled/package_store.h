#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "kernels/compiled/package_request.h"

namespace ts::kernels {

// Where compiled packages are kept: XDG_CACHE_HOME or ~/.cache, tensorscope/compiled. Beside each
// is how long making it took.

std::filesystem::path package_path(const PackageRequest& request);

base::Result<void> note_seconds_to_make(const std::filesystem::path& package, double seconds);
// 0 where that is not known.
double seconds_to_make(const std::filesystem::path& package);

// Both the package and its time.
void rename_package(const std::filesystem::path& from, const std::filesystem::path& to);
void remove_package(const std::filesystem::path& package);

}  // namespace ts::kernels
