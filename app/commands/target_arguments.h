#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/commands/spec_arguments.h"
#include "core/predict/prediction.h"
#include "core/predict/share.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// A specification on the device that a prediction is for, and that device.
struct TargetedSpec {
  spec::WorkloadSpec spec;
  predict::PredictionTarget target;
};

// `gpu`: --gpu, a card by its common name; unset: target_gpu of the spec. `cpu`: --cpu, this
// machine under its memory limit. The device in the spec itself is not used.
base::Result<TargetedSpec> targeted_spec(SpecArguments arguments,
                                         const std::optional<std::string>& gpu, bool cpu,
                                         const spec::GpuCatalogue& catalogue);

// --ranks, --shard, --tensor, --pipeline, --stage: what one rank has (core/predict/share.h).
struct ShareArguments {
  predict::Share share;
  std::string shard = "none";
};
void add_share(CLI::App& command, ShareArguments& arguments);
// The error is one sentence: a name that is none, or a share that the workload cannot have.
base::Result<predict::Share> share_of(const ShareArguments& arguments,
                                      const spec::WorkloadSpec& spec);

// --data-parallel: the memory of one rank (core/predict/data_parallel.h).
CLI::Option* add_data_parallel(CLI::App& command, bool& data_parallel);

}  // namespace ts::app
