#pragma once

#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Settings that a device can run, close to ones that it cannot: one setting has another value, or a
// few have where one does not suffice. At most three, those that `also` can run first; empty when
// `where` can run `spec` as it is. The device in each stays that of `spec`. Pure; any thread.
std::vector<WorkloadSpec> repairs_of(const WorkloadSpec& spec, DeviceKind where, DeviceKind also);

// The problems of the settings on that kind of device, whatever device they name.
std::vector<SpecProblem> problems_on(WorkloadSpec spec, DeviceKind where);

}  // namespace ts::spec
