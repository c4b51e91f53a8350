#pragma once

#include <optional>
#include <string>

#include "app/commands/spec_arguments.h"
#include "core/predict/prediction.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// A specification on the device a prediction is asked for, and that device.
struct TargetedSpec {
  spec::WorkloadSpec spec;
  predict::PredictionTarget target;
};

// `gpu`: --gpu, a card by what people call it; unset: target_gpu of the spec. `cpu`: --cpu, this
// machine under its memory limit. The device that the spec itself names is not asked for.
base::Result<TargetedSpec> targeted_spec(SpecArguments arguments,
                                         const std::optional<std::string>& gpu, bool cpu,
                                         const spec::GpuCatalogue& catalogue);

}  // namespace ts::app
