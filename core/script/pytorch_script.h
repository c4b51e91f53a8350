#pragma once

#include <string>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"

namespace ts::script {

// The step of `spec` as a script in PyTorch's Python (2.11): the model with the engine's names of
// parameters, random inputs, the optimizer, and a loop that prints loss, time and, on a GPU, the
// peak of memory. Names: model, make_batch(), train_step(number, batches). An error says what of
// the settings PyTorch's Python has nothing for.
base::Result<std::string> pytorch_script(const spec::WorkloadSpec& spec);

}  // namespace ts::script
