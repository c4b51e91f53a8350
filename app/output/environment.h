#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/run/engine.h"

namespace ts::app {

// The machine of a measurement. Read from the system at every call.
struct Machine {
  std::string system;  // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;  // "Linux 6.1.0"
  std::string cpu;     // model name
  int cores = 0;       // logical processors this process may use
  std::string vector;  // best of AVX2, AVX-512, AMX ... that the processor reports
  std::int64_t ram_bytes = 0;
  bool wsl = false;
  std::string nvidia_driver;  // version; empty: none
};
Machine read_machine();

// The "environment" of run.json: program version, date (UTC), machine, engine.
nlohmann::json environment_json(const Machine& machine, const run::EngineInfo* engine);

}  // namespace ts::app
