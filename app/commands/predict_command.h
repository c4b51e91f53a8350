#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/commands/own_commands.h"
#include "app/commands/spec_arguments.h"
#include "app/commands/target_arguments.h"
#include "app/output/save_parts.h"
#include "core/cluster/step_time.h"

namespace ts::app {

// predict --cluster: which is the smallest cluster on which a workload fits, and what each mode
// costs (core/cluster/cluster_hunt.h).
struct ClusterArguments {
  std::int64_t most = 0;  // cards; 0: not asked
  cluster::WiringChoice wiring;
  std::string format = "md";
  std::string language = "en";
};

struct PredictCommand {
  SpecArguments spec;
  OwnOptions own;                         // of a Python file
  std::optional<std::string> gpu;         // unset: target_gpu of the spec
  bool cpu = false;                       // for the CPU and its memory limit instead
  bool data_parallel = false;             // a rank of DistributedDataParallel
  ShareArguments share;                   // what one rank has
  ClusterArguments cluster;               // which cluster fits, instead
  std::optional<std::string> alloc_conf;  // unset: that of the spec
  std::optional<std::filesystem::path> out;
  std::string parts = SaveParts().names();  // of what is written there
  bool json = false;
};

}  // namespace ts::app
