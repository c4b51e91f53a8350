#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/own_commands.h"
#include "app/commands/spec_arguments.h"
#include "app/output/save_parts.h"
#include "app/session/hunt_session.h"
#include "core/predict/hunt_map.h"

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

// The one or two axes of a hunt. The error is one sentence: their number, their form, one that is
// given twice, or an option that is for a map alone.
base::Result<std::vector<predict::HuntAxis>> axes_of(const HuntCommand& command);

// The sentence of a hunt along one axis, and its probes.
void print_edge(const predict::EdgeHunt& hunt, const predict::HuntAxis& axis);

predict::MapDepth depth_of(const HuntCommand& command);
// Prints a map, or its JSON, and with --out writes its files.
struct HuntEnd {
  double seconds = 0;
  bool cancelled = false;
};
Exit print_hunt_map(const HuntCommand& command, const predict::HuntMap& map,
                    const predict::PredictionTarget& target, const HuntEnd& end,
                    const HuntSubject& subject, const SaveParts& parts);

// hunt --model FILE.py: along one or over two of its arguments.
Exit hunt_own(const HuntCommand& command, const OwnFile& file);

}  // namespace ts::app
