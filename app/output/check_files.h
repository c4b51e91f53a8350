#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/report/checks.h"

namespace ts::app {

// checks.csv and checks.md in the folder; nothing where there are no checks.
base::Result<void> write_checks(const std::filesystem::path& folder,
                                const std::vector<report::CheckResult>& checks);

}  // namespace ts::app
