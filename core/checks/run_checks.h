#pragma once

#include <vector>

#include "core/report/checks.h"

namespace ts::checks {

// All 35 checks of a run, in the order of their ids: those that it answers (report::checks_of), and
// the others as unknown with the reason. Empty until a run has ended well.
std::vector<report::CheckResult> of_run(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::checks
