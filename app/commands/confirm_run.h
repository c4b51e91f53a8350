#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"

namespace ts::app {

struct ConfirmedRun {
  bool fits = true;  // else it ran out of memory
  std::int64_t peak_allocated = 0;
};

// Runs the workload in a process of its own, so that nothing an earlier run left behind counts:
// tensorscope run with a few steps. An error when the process could not be started, said nothing,
// or ended for another reason than memory.
base::Result<ConfirmedRun> confirm_in_fresh_process(const spec::WorkloadSpec& spec);

}  // namespace ts::app
