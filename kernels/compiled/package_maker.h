#pragma once

#include <filesystem>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "kernels/compiled/package_request.h"

namespace ts::kernels {

// Why no step can be compiled on this machine; empty if it can, as far as is known without trying.
base::Message why_no_compiler();

// Has Python compile the step: a minute or two for two graphs. It writes only to `work`, a folder
// of this user alone; the result is the folder in it that is to be kept, see package_store.h. The
// Python is TENSORSCOPE_PYTHON, else the one that the set-up made. Errors: there is no Python, it
// has no torch of this version, there is no C++ compiler, or Python reports an error; cancelled,
// with the sentence "Cancelled".
base::Result<std::filesystem::path> make_package(const PackageRequest& request,
                                                 const std::filesystem::path& work,
                                                 const base::CancelToken& cancel);

}  // namespace ts::kernels
