#include "core/trace_file/trace_copy.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/io/file.h"
#include "tests/io/temporary_folder.h"

namespace ts::trace_file {
namespace {

using Json = nlohmann::json;

// Arguments, phases and entries of which the reader keeps nothing.
const char* const kWhole = R"text({"schemaVersion": 1, "traceName": "/a/b.json",
"deviceProperties": [{"id": 0, "name": "H100", "totalGlobalMem": 85899345920}],
"traceEvents": [
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 8, "ts": 1712.001, "dur": 5,
  "args": {"External id": 9, "Sequence number": 3, "Fwd thread id": 0, "Ev Idx": 12,
           "Concrete Inputs": ["", "2"], "Call stack": "train.py(3): main;a \"b\" c"}},
 {"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "pid": 0, "tid": 7, "ts": 1720, "dur": 9,
  "args": {"device": 0, "stream": 7, "est. achieved occupancy %": 31, "blocks per SM": 0.5,
           "Collective name": "allreduce", "Process Group Ranks": "[0, 1]"}},
 {"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "pid": 0, "tid": 7, "ts": 1730, "dur": 1,
  "args": {"cuda_sync_kind": "Event Sync", "wait_on_stream": 9, "stream": 7, "device": 0}},
 {"ph": "X", "cat": "another_kind", "name": "k\u00e9rnel \u2713", "pid": "Spans", "tid": "a",
  "ts": 1.5e3, "dur": 1},
 {"ph": "C", "name": "power", "pid": "GPU 0", "ts": 1, "args": {"W": 300.25}},
 {"ph": "i", "name": "[memory]", "pid": 7, "tid": 9, "ts": 11, "s": "t",
  "args": {"Bytes": 1, "Addr": 18446744073709551615, "Device Type": 0, "Device Id": -1}},
 {"ph": "M", "name": "process_sort_index", "pid": 7, "tid": 0, "args": {"sort_index": 7}},
 {"ph": "s", "cat": "ac2g", "id": "0x12", "pid": 7, "tid": 8, "ts": 1, "name": "ac2g"},
 {"ph": "b", "cat": "async", "id": 4, "pid": 7, "tid": 8, "ts": 1, "name": "later"}
],
"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}})text";

class TraceCopy : public ::testing::Test {
 protected:
  // The copy as text, of a file that comes in small pieces.
  std::string copied(const std::string& text, const base::FileRange& range = {},
                     std::string* fault = nullptr) {
    io::Input input = io::Input::in_pieces(text, 37);
    const auto done = copy_trace("in.json", input, range, folder_.path() / "out.json");
    EXPECT_TRUE(done) << done.error().sentence;
    if (done && fault != nullptr) *fault = done->sentence;
    const auto out = io::read_file(folder_.path() / "out.json");
    return out ? *out : std::string();
  }
  io::testing::TemporaryFolder folder_;
};

TEST_F(TraceCopy, KeepsEveryArgumentOfEveryEvent) {
  EXPECT_EQ(Json::parse(copied(kWhole)), Json::parse(kWhole));
  const std::string list = R"([{"ph": "X", "name": "a", "ts": 1, "x": {"y": [1, {"z": null}]}}])";
  EXPECT_EQ(Json::parse(copied(list)), Json::parse(list));
}

TEST_F(TraceCopy, MendsWhatIsNoJson) {
  const auto out =
      Json::parse(copied("[{\"ph\": \"X\", \"name\": \"a\nb\\q\xff\", \"ts\": 1,"
                         "\"args\": {\"GB/s\": inf, \"n\": -1.5e-3,},}, null, ]"));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0]["name"], "a\nb\\q\uFFFD");
  EXPECT_EQ(out[0]["args"], (Json{{"GB/s", "inf"}, {"n", -1.5e-3}}));
}

TEST_F(TraceCopy, EndsWhatWasCutOff) {
  const std::string whole = kWhole;
  std::string fault;
  const auto out = Json::parse(copied(whole.substr(0, whole.find("ncclDev")), {}, &fault));
  EXPECT_EQ(out["traceEvents"].size(), 1U);
  EXPECT_NE(fault.find("ends in the middle"), std::string::npos) << fault;
}

// Both ends of a stretch, or none.
TEST_F(TraceCopy, TakesThePartThatIsAskedFor) {
  const std::string text = R"([{"ph": "B", "name": "long", "pid": 1, "tid": 1, "ts": 0},
    {"ph": "B", "name": "early", "pid": 1, "tid": 1, "ts": 1}, {"ph": "E", "pid": 1, "tid": 1, "ts": 2},
    {"ph": "X", "name": "in", "pid": 1, "tid": 1, "ts": 9, "dur": 2},
    {"ph": "B", "name": "late", "pid": 1, "tid": 1, "ts": 20}, {"ph": "E", "pid": 1, "tid": 1, "ts": 21},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 30}])";
  const auto out = Json::parse(copied(text, {base::FileRange::Unit::seconds, 5e-6, 10e-6}));
  ASSERT_EQ(out.size(), 3U) << out;
  EXPECT_EQ(out[0]["name"], "in");
  EXPECT_EQ(out[1]["name"], "long");
  EXPECT_EQ(out[2]["ts"], 30);
}

TEST_F(TraceCopy, WritesNothingWhereNoTraceIs) {
  io::Input input = io::Input::of(R"({"lr": 0.1})");
  const auto done = copy_trace("in.json", input, {}, folder_.path() / "none.json");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().sentence.find("no traceEvents"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none.json"));
}

}  // namespace
}  // namespace ts::trace_file
