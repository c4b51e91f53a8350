#pragma once

#include <string>
#include <vector>

#include "app/commands/spec_arguments.h"

namespace ts::app {

struct AbCommand {
  SpecArguments spec;                // of A
  std::vector<std::string> changes;  // "key=value", what is different in B
  int pairs = 0;                     // 0: until the ratio is known well enough
  bool json = false;
};

}  // namespace ts::app
