#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/spec_arguments.h"
#include "app/commands/target_arguments.h"
#include "app/output/save_parts.h"

namespace ts::app {

struct PredictCommand {
  SpecArguments spec;
  std::optional<std::string> gpu;         // unset: target_gpu of the spec
  bool cpu = false;                       // for the CPU and its memory limit instead
  bool data_parallel = false;             // a rank of DistributedDataParallel
  ShareArguments share;                   // what one rank has
  std::optional<std::string> alloc_conf;  // unset: that of the spec
  std::optional<std::filesystem::path> out;
  std::string parts = SaveParts().names();  // of what is written there
  bool json = false;
};

}  // namespace ts::app
