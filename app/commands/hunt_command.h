#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/own_commands.h"
#include "app/commands/spec_arguments.h"
#include "app/output/save_parts.h"
#include "core/predict/hunt.h"

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
  OwnOptions own;
};

// The sentence of a hunt along one axis, and its probes.
void print_edge(const predict::EdgeHunt& hunt, const predict::HuntAxis& axis);

// hunt --model FILE.py: along one of its arguments.
int hunt_own(const HuntCommand& command, const OwnFile& file);

}  // namespace ts::app
