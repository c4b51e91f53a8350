#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace ts::snapshot::testing {

// Two lines of a program; from step to step the second keeps one more block.
inline std::string leaking(int steps) {
  nlohmann::json trace = nlohmann::json::array();
  nlohmann::json annotations = nlohmann::json::array();
  std::int64_t time = 100;
  const auto add = [&](const char* action, std::int64_t address, std::int64_t size,
                       const char* function) {
    trace.push_back(
        {{"action", action},
         {"addr", address},
         {"size", size},
         {"time_us", ++time},
         {"frames", {{{"name", function}, {"filename", "/data/train.py"}, {"line", 4}}}}});
  };
  add("alloc", 0x10000, 4 << 20, "build");
  for (int step = 0; step < steps; ++step) {
    const auto mark = [&](const char* stage) {
      annotations.push_back({{"name", "ProfilerStep#" + std::to_string(step)},
                             {"stage", stage},
                             {"device", 0},
                             {"time_us", ++time}});
    };
    mark("START");
    add("alloc", 0x900000, 1 << 20, "forward");
    add("alloc", 0x20000 + step * 0x1000, 700, "keep_loss");
    add("free_completed", 0x900000, 1 << 20, "forward");
    mark("END");
  }
  return nlohmann::json{{"segments", nlohmann::json::array()},
                        {"device_traces", {trace}},
                        {"external_annotations", annotations}}
      .dump();
}

}  // namespace ts::snapshot::testing
