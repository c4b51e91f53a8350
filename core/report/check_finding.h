#pragma once

#include <optional>
#include <utility>

#include "core/report/checks.h"

namespace ts::report {

// The result of one check of a run; unset where it does not apply.
using Finding = std::optional<std::pair<CheckState, base::Message>>;

inline CheckState passed_if(bool good, CheckState otherwise = CheckState::failed) {
  return good ? CheckState::passed : otherwise;
}

}  // namespace ts::report
