#pragma once

#include "core/report/check_finding.h"

namespace ts::report {

// C-26: how far a step is from the same one in fp64, against what the course allows for its type.
// Unset where the protocol does not ask for it.
Finding value_errors(const run::Run& run);

}  // namespace ts::report
