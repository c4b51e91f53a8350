#pragma once

#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Settings close to `spec` that the device `where` can run: one setting has another value, or a few
// have where one is not enough. At most three; those that `also` can run come first. Empty when
// `where` can run `spec` as it is. Each keeps the device of `spec`. Pure; any thread.
std::vector<WorkloadSpec> repairs_of(const WorkloadSpec& spec, DeviceKind where, DeviceKind also);

// The problems of the settings on that kind of device, whatever device the spec names.
std::vector<SpecProblem> problems_on(WorkloadSpec spec, DeviceKind where);

}  // namespace ts::spec
