#pragma once

#include <nlohmann/json.hpp>

// A trace that is whole, from which fuzzing begins.
namespace ts::fuzz {

inline nlohmann::json trace_event(const char* phase, const char* category, double time) {
  return {{"ph", phase}, {"cat", category},   {"name", "aten::\"mm\"\n"},
          {"pid", 7},    {"tid", "stream 7"}, {"ts", time},
          {"id", 5}};
}

// One of every kind.
inline nlohmann::json whole_trace() {
  auto events = nlohmann::json::array();
  double time = 100;
  for (const char* const category : {"cpu_op", "kernel", "cuda_runtime", "gpu_memcpy", "Operator",
                                     "user_annotation", "python_function"}) {
    nlohmann::json stretch = trace_event("X", category, time -= 7.125);
    stretch["dur"] = 12.5;
    stretch["args"] = {{"External id", 9},
                       {"correlation", 55},
                       {"device", 0},
                       {"stream", 7},
                       {"Input Dims", {{2, 3}, nlohmann::json::array()}},
                       {"Input type", {"float", ""}},
                       {"grid", {4, 2, 1}},
                       {"block", {128, 1, 1}},
                       {"registers per thread", 40},
                       {"shared memory", 512}};
    events.push_back(stretch);
  }
  for (const char* const phase : {"B", "E", "s", "f", "M", "C", "E"}) {
    events.push_back(trace_event(phase, "ac2g", time += 3));
  }
  events.back()["args"] = {{"name", "python"}};
  nlohmann::json memory = trace_event("i", "cpu_instant_event", 3);
  memory["name"] = "[memory]";
  memory["args"] = {{"Bytes", -512},  {"Addr", 140'000'000'000'000}, {"Device Type", 1},
                    {"Device Id", 0}, {"Total Allocated", 1024},     {"Total Reserved", 2048}};
  events.push_back(memory);
  return {{"schemaVersion", 1},
          {"deviceProperties", {{{"id", 0}, {"name", "H100"}}}},
          {"distributedInfo", {{"rank", 1}}},
          {"baseTimeNanoseconds", 5},
          {"traceEvents", events}};
}

}  // namespace ts::fuzz
