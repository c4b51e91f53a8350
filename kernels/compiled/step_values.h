#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {

// The numbers of one step: of its forward and, with a backward, of its gradients.
struct StepValues {
  at::Tensor output;
  at::Tensor loss;                   // undefined in a pass without a backward
  std::vector<Parameter> gradients;  // of parameters and inputs that have one
};

// Runs forward, loss and backward of the first micro-batch, without recording. The loss is
// multiplied by `scale` for the backward, the gradients are divided by it. Leaves no gradient.
StepValues values_of(Workload& workload, const Builder& builder, const spec::WorkloadSpec& spec,
                     double scale = 1);

}  // namespace ts::kernels
