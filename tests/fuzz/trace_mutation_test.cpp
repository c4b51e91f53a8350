// Damaged traces, plain and packed. Meant for the asan preset, where every stray byte counts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/trace_target.h"
#include "tests/io/gzip_bytes.h"

namespace ts::fuzz {
namespace {

nlohmann::json trace_event(const char* phase, const char* category, double time) {
  return {{"ph", phase}, {"cat", category},   {"name", "aten::\"mm\"\n"},
          {"pid", 7},    {"tid", "stream 7"}, {"ts", time},
          {"id", 5}};
}

// One of every kind.
nlohmann::json whole_trace() {
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

#ifdef __SANITIZE_ADDRESS__
constexpr int kTraces = 10'000;
#else
constexpr int kTraces = 40'000;
#endif

TEST(DamagedTraces, AreReadOrRefused) {
  const nlohmann::json whole = whole_trace();
  Mutator mutator({whole.dump(), whole.dump(1), whole["traceEvents"].dump()}, 21);
  for (int i = 0; i < kTraces; ++i) feed_trace(mutator.next());
}

TEST(DamagedTraces, OddValuesAreReadOrRefused) {
  JsonMutator mutator(22);
  for (int i = 0; i < kTraces / 4; ++i) {
    nlohmann::json json = whole_trace();
    mutator.change(json);
    feed_trace(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

TEST(DamagedTraces, PackedOnesAreReadOrRefused) {
  const std::string text = whole_trace().dump();
  Mutator mutator(
      {io::testing::gzipped(text), io::testing::gzipped(text) + io::testing::gzipped("[")}, 23);
  for (int i = 0; i < kTraces / 10; ++i) feed_trace(mutator.next());
}

TEST(DamagedTraces, HostileOnesAreReadOrRefused) {
  feed_trace("[" + std::string(1'000'000, '['));
  feed_trace("{\"traceEvents\": [" + std::string(1'000'000, '{'));
  feed_trace("[{\"ph\": \"X\", \"args\": " + std::string(500'000, '[') + std::string(500'000, ']') +
             "}]");
  feed_trace(
      R"([{"ph": "X", "cat": "kernel", "ts": -9e99, "dur": 9e99}, {"ph": "X", "cat": "kernel",
               "ts": 9223372036854775807, "dur": 9223372036854775807}, {"ph": "X", "cat": "kernel",
               "ts": 9223372036854775807, "dur": 18446744073709551615}])");
}

}  // namespace
}  // namespace ts::fuzz
