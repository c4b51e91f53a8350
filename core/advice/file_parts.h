#pragma once

#include <vector>

#include "core/spec/workload_traffic.h"

namespace ts::advice {

// Matrix products and attention of one step of a model from a file, by the sizes that its graph has
// for the spec's, as spec::step_parts() has those of our own workloads: a product reads its factors
// and writes its result, and has one more in the backward for each factor that needs a gradient.
// Recurrent layers, and products inside of operators that are not ATen's, are left out. Empty for
// other workloads, and where the file cannot be read.
std::vector<spec::StepPart> parts_of_file(const spec::WorkloadSpec& spec,
                                          spec::AttentionBackend backend_ran);

}  // namespace ts::advice
