// Damaged traces, plain and packed. Meant for the asan preset, where every stray byte counts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/trace_seeds.h"
#include "tests/fuzz/trace_target.h"
#include "tests/io/gzip_bytes.h"

namespace ts::fuzz {
namespace {

constexpr int kTraces = 5'000;

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
