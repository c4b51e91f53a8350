#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/own_commands.h"
#include "app/commands/spec_arguments.h"
#include "app/output/save_parts.h"
#include "app/ranks/rank_options.h"

namespace ts::app {

struct RunCommand {
  SpecArguments spec;
  OwnOptions own;  // of a Python file
  RankOptions ranks;
  int steps = 0;  // timed steps; 0: until the median is known well enough
  std::optional<std::filesystem::path> out;
  std::string parts = SaveParts().names();  // of what is written there
  std::vector<std::string> notes;           // "TEXT", or "@MS TEXT" about a moment
  bool check_values = false;                // against fp64
  bool json = false;
  bool operators = false;  // the tables of operators, too
  bool log = false;        // nanoGPT's line for every timed step
};

}  // namespace ts::app
