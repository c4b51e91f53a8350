#pragma once

#include <cstdlib>
#include <string>

namespace ts::base {

// The value of a variable of this process's environment; empty where it has none.
// Any thread, as long as none changes the environment.
[[nodiscard]] inline std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace ts::base
