#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/io/private_folder.h"
#include "kernels/compiled/package_request.h"

namespace ts::kernels {

// The store of compiled packages: compiled/ in io::user_folder("XDG_CACHE_HOME", ".cache").
// Packages are code that will be run, so the folder is for its user alone (mode 0700), and nothing
// is loaded that another user could have written or that differs from what was written. A package
// is a folder of its own, which appears complete under its final name: the package, and a note with
// the time that making it took and its SHA-256.

// The folder of all packages, created if missing; removes packages of earlier versions and
// temporary folders of killed processes. Errors: no folder of the user is known, it cannot be made,
// it belongs to another user, others may write to it.
base::Result<std::filesystem::path> package_store();

// The folder for the package of the request; two requests never share a name.
std::filesystem::path package_folder(const std::filesystem::path& store,
                                     const PackageRequest& request);
// The package file in its folder.
std::filesystem::path package_file(const std::filesystem::path& folder);

// A temporary folder in the store, so that the package can be renamed; its name is unique, so that
// two processes that make the same package do not collide.
base::Result<io::PrivateFolder> folder_for_making(const std::filesystem::path& store);

// Writes the note beside a package that was just made in `folder`.
base::Result<void> note_package(const std::filesystem::path& folder, double seconds_to_make);
// Checks that the package in `folder` may be loaded. Errors: there is none, it or the folder does
// not belong to this user alone, or it differs from what was written.
base::Result<void> check_package(const std::filesystem::path& folder);
// 0 if not known.
double seconds_to_make(const std::filesystem::path& folder);

// Moves the folder of a package that was made elsewhere in the store to its final name. If another
// process was faster, its package stays; an existing package that may not be loaded is replaced.
base::Result<void> keep_package(const std::filesystem::path& made,
                                const std::filesystem::path& folder);

}  // namespace ts::kernels
