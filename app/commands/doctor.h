#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/commands/command_line.h"

namespace ts::app {

enum class Health : std::uint8_t { ok, limited, missing };

// One thing the program can use on this machine.
struct Finding {
  std::string id;     // "cpu", "libtorch", ...; stable, for scripts
  std::string title;  // "LibTorch"
  Health health = Health::ok;
  std::string found;   // what is there
  std::string advice;  // what to do when it is not ok; empty when ok
};

// Looks at the machine; loads the engine and driver libraries to try them. Takes up to a second.
std::vector<Finding> examine_machine();

nlohmann::json to_json(const std::vector<Finding>& findings);

// tensorscope doctor. Exit code 0 when everything the program needs is there (a missing GPU or
// display is not a fault), 1 when workloads cannot run.
int print_doctor(const DoctorCommand& command);

}  // namespace ts::app
