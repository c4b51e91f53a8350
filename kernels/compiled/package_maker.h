#pragma once

#include <filesystem>
#include <string>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "kernels/compiled/package_request.h"

namespace ts::kernels {

// Why no step can be compiled on this machine; empty: it can, as far as can be told without trying.
std::string why_no_compiler();

// Has Python compile the step into `package`: a minute or two for two graphs. The Python is
// TENSORSCOPE_PYTHON, else the one that the set-up made. Errors: there is none, it has no torch of
// this version, no C++ compiler, or it says why not; cancelled, with the sentence "Cancelled".
// Its time is kept beside it.
base::Result<void> make_package(const PackageRequest& request, const std::filesystem::path& package,
                                const base::CancelToken& cancel);

}  // namespace ts::kernels
