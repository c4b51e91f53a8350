#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/own_commands.h"
#include "app/commands/spec_arguments.h"
#include "app/output/save_parts.h"

namespace ts::app {

struct AbCommand {
  SpecArguments spec;                // of A
  std::vector<std::string> changes;  // "key=value", what is different in B
  int pairs = 0;                     // 0: until the ratio is known well enough
  std::optional<std::filesystem::path> out;
  std::string parts = SaveParts(kPartsOfPair).names();  // of what is written there
  bool json = false;
  OwnOptions own;
};

}  // namespace ts::app
