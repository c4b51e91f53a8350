#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/io/private_folder.h"
#include "kernels/compiled/package_request.h"

namespace ts::kernels {

// Where compiled packages are kept: compiled/ in io::user_folder("XDG_CACHE_HOME", ".cache"). They
// are code that will be run, so the folder is for its user alone (mode 0700) and nothing is loaded
// that somebody else could have put there or that is not what was written. A package is a folder of
// its own, which appears whole under its final name: the package, and a note of the time that
// making it took and of its SHA-256.

// The folder of all packages, made where it is not there; packages of earlier versions and what
// killed processes left of making one go. Errors: no folder of the user is known, it cannot be
// made, it is another user's, others may write to it.
base::Result<std::filesystem::path> package_store();

// Where the package of the request would be; two requests never share a name.
std::filesystem::path package_folder(const std::filesystem::path& store,
                                     const PackageRequest& request);
// The package itself in its folder.
std::filesystem::path package_file(const std::filesystem::path& folder);

// Beside what is kept, so that it can be renamed; of a name of its own, so that two processes that
// make the same package do not meet.
base::Result<io::PrivateFolder> folder_for_making(const std::filesystem::path& store);

// Writes the note beside a package that was just made in `folder`.
base::Result<void> note_package(const std::filesystem::path& folder, double seconds_to_make);
// Whether the package in `folder` may be loaded. The error says that there is none, that it or the
// folder is not this user's alone, or that it is not what was written.
base::Result<void> check_package(const std::filesystem::path& folder);
// 0 where that is not known.
double seconds_to_make(const std::filesystem::path& folder);

// Moves the folder of a package that was made elsewhere in the store to its final name. Where
// another process was faster, that one's package stays; what is there and may not be loaded gives
// way.
base::Result<void> keep_package(const std::filesystem::path& made,
                                const std::filesystem::path& folder);

}  // namespace ts::kernels
