#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/spec_arguments.h"
#include "app/output/save_parts.h"

namespace ts::app {

struct HuntCommand {
  SpecArguments spec;
  std::vector<std::string> axes;   // "T" or "T=256:8192", one or two
  std::optional<std::string> gpu;  // as in PredictCommand
  bool cpu = false;
  bool data_parallel = false;  // a rank of DistributedDataParallel
  bool confirm = false;
  bool every_cell = false;                              // of a map: no cell is inferred
  std::optional<std::filesystem::path> out;             // of a map
  std::string parts = SaveParts(kPartsOfMany).names();  // of what is written there
  bool json = false;
};

}  // namespace ts::app
