#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"

namespace ts::app {

struct ConfirmedRun {
  bool fits = true;  // else it ran out of memory
  std::int64_t peak_allocated = 0;
};

// Runs the workload with tensorscope run and a few steps, in a new process, so that nothing left
// behind by an earlier run has an effect. An error when the process could not be started, printed
// nothing, or ended for a reason other than memory.
base::Result<ConfirmedRun> confirm_in_fresh_process(const spec::WorkloadSpec& spec);

}  // namespace ts::app
