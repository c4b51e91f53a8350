#include "core/io/chrome_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/io/temporary_folder.h"
#include "tests/memory/records.h"

namespace ts::io {
namespace {

using nlohmann::json;
using testing::content_of;
using testing::TemporaryFolder;
using trace::SliceClass;
using trace::TrackKind;

// A small run: module > linear > mm and their nodes on two threads, a kernel, three memory events.
class ChromeTrace : public ::testing::Test {
 protected:
  static constexpr std::int64_t kOrigin = 5'000'000'000'000'123;

  ChromeTrace() {
    store_.add_track({.kind = TrackKind::cpu_thread, .name = "main \"thread\""});
    store_.add_track({.kind = TrackKind::autograd_thread, .name = "autograd"});
    store_.add_track({.kind = TrackKind::gpu_stream, .name = "stream 7"});
    trace::Slice slice{.begin_ns = kOrigin + 1000, .duration_ns = 10'001};
    slice.name = strings_.intern("blocks.0");
    slice.slice_class = SliceClass::module;
    store_.append(0, 0, slice);
    slice = {.begin_ns = kOrigin + 1500, .duration_ns = 4000, .flow = 3};
    slice.name = strings_.intern("aten::mm");
    slice.module = strings_.intern("blocks.0.mlp\n");
    slice.detail = strings_.intern("[4, 16] bf16");
    slice.slice_class = SliceClass::matmul;
    store_.append(0, 1, slice);
    slice.begin_ns += 100;  // nested, of the same flow: no arrow of its own
    slice.duration_ns = 50;
    store_.append(0, 2, slice);
    slice = {.begin_ns = kOrigin + 20'000, .duration_ns = 7, .flow = 3};
    slice.name = strings_.intern("broken \xFF name");
    slice.slice_class = SliceClass::backward;
    store_.append(1, 0, slice);
    slice = {.begin_ns = kOrigin + 30'000, .duration_ns = 0};
    store_.append(2, 0, slice);
    log_.append(memory::testing::alloc(kOrigin, 0xA, 4096));
    log_.append(memory::testing::alloc(kOrigin + 2500, 0xB, 1'000'000'000'000));
    log_.append(memory::testing::free(kOrigin + 2600, 0xC));  // never seen: nothing changes
    log_.append(memory::testing::free(kOrigin + 2700, 0xB));
  }

  json written(const std::string& metadata = R"({"gpu":"none","n":[1,2]})") {
    const auto result =
        write_chrome_trace(folder_ / "trace.json", strings_, store_, log_, metadata);
    EXPECT_TRUE(result.has_value());
    return json::parse(content_of(folder_ / "trace.json"));
  }

  static std::vector<json> of_kind(const json& document, const std::string& kind) {
    std::vector<json> found;
    for (const json& event : document.at("traceEvents")) {
      if (event.at("ph") == kind) found.push_back(event);
    }
    return found;
  }

  TemporaryFolder folder_;
  base::StringTable strings_;
  trace::TraceStore store_;
  memory::AllocationLog log_;
};

TEST_F(ChromeTrace, SlicesAreCompleteEventsInMicroseconds) {
  const auto slices = of_kind(written(), "X");
  ASSERT_EQ(slices.size(), 5U);
  EXPECT_EQ(slices[0], json::parse(R"({"ph":"X","pid":1,"tid":1,"ts":1.0,"dur":10.001,
      "cat":"module","name":"blocks.0"})"));
  EXPECT_EQ(slices[1], json::parse(R"({"ph":"X","pid":1,"tid":1,"ts":1.5,"dur":4.0,
      "cat":"matmul","name":"aten::mm",
      "args":{"module":"blocks.0.mlp\n","shapes":"[4, 16] bf16"}})"));
  EXPECT_EQ(slices[3].at("name"), "broken \uFFFD name");
  EXPECT_EQ(slices[3].at("tid"), 2);
  EXPECT_EQ(slices[4], json::parse(R"({"ph":"X","pid":2,"tid":3,"ts":30.0,"dur":0.0,
      "cat":"other","name":""})"));
}

TEST_F(ChromeTrace, NamesProcessesAndThreads) {
  const auto names = of_kind(written(), "M");
  const auto has = [&names](const char* text) {
    return std::find(names.begin(), names.end(), json::parse(text)) != names.end();
  };
  EXPECT_TRUE(has(R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"CPU"}})"));
  EXPECT_TRUE(has(R"({"ph":"M","pid":2,"tid":0,"name":"process_name","args":{"name":"GPU"}})"));
  EXPECT_TRUE(
      has(R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"main \"thread\""}})"));
  EXPECT_TRUE(has(R"({"ph":"M","pid":2,"tid":3,"name":"thread_name","args":{"name":"stream 7"}})"));
  EXPECT_TRUE(
      has(R"({"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":1}})"));
}

TEST_F(ChromeTrace, OneArrowFromForwardToBackward) {
  const json document = written();
  const auto starts = of_kind(document, "s");
  const auto ends = of_kind(document, "f");
  ASSERT_EQ(starts.size(), 1U);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(starts[0], json::parse(R"({"ph":"s","pid":1,"tid":1,"cat":"forward_backward",
      "name":"forward to backward","id":3,"ts":1.6})"));
  EXPECT_EQ(ends[0], json::parse(R"({"ph":"f","bp":"e","pid":1,"tid":2,"cat":"forward_backward",
      "name":"forward to backward","id":3,"ts":20.0})"));
}

TEST_F(ChromeTrace, CountsAllocatedBytes) {
  const auto counts = of_kind(written(), "C");
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0], json::parse(R"({"ph":"C","pid":1,"tid":0,"name":"allocated","ts":0.0,
      "args":{"bytes":4096}})"));
  EXPECT_EQ(counts[1].at("args").at("bytes"), 1'000'000'004'096);
  EXPECT_EQ(counts[2].at("ts"), 2.7);
}

TEST_F(ChromeTrace, CarriesMetadata) {
  EXPECT_EQ(written().at("otherData"), json::parse(R"({"gpu":"none","n":[1,2]})"));
  EXPECT_EQ(written("").at("otherData"), json::object());
}

TEST_F(ChromeTrace, RefusesBrokenMetadata) {
  for (const char* text : {"{", "[1]", "3", "{} {}", "\"text\""}) {
    const auto result = write_chrome_trace(folder_ / "trace.json", strings_, store_, log_, text);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().sentence, "Cannot write " + (folder_ / "trace.json").string() +
                                           ": the metadata is not a JSON object.");
  }
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(ChromeTrace, AnEmptyRunIsADocumentToo) {
  store_ = {};
  log_ = {};
  const json document = written();
  EXPECT_TRUE(of_kind(document, "X").empty());
  EXPECT_EQ(document.at("displayTimeUnit"), "ns");
}

TEST_F(ChromeTrace, MemoryAloneSetsTheBegin) {
  store_ = {};
  EXPECT_EQ(of_kind(written(), "C").at(0).at("ts"), 0.0);
}

TEST_F(ChromeTrace, SaysWhyItCannotWrite) {
  const auto path = folder_ / "no/trace.json";
  const auto result = write_chrome_trace(path, strings_, store_, log_, "");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().sentence,
            "Cannot write " + path.string() + ": No such file or directory.");
}

TEST_F(ChromeTrace, PythonReadsWhatIsLongerThanOnePiece) {
  if (std::system("python3 -c 'import json' 2> /dev/null") != 0) GTEST_SKIP() << "needs python3";
  constexpr int kMore = 40'000;
  for (int i = 0; i < kMore; ++i) {
    trace::Slice slice{.begin_ns = kOrigin + 100'000 + i * 10, .duration_ns = 3};
    slice.name = strings_.intern("name " + std::to_string(i % 300));
    store_.append(1, 0, slice);
  }
  ASSERT_EQ(of_kind(written(), "X").size(), 5U + kMore);
  testing::put(folder_ / "count.py", R"(
import json
document = json.load(open("trace.json", encoding="utf-8"))
slices = [event for event in document["traceEvents"] if event["ph"] == "X"]
assert len(slices) == 40005, len(slices)
assert slices[-6]["name"] == "name 95", slices[-6]
assert abs(slices[-2]["ts"] - 499.99) < 1e-9, slices[-2]
assert document["otherData"] == {"gpu": "none", "n": [1, 2]}
)");
  const std::string command = "cd '" + folder_.path().string() + "' && python3 count.py";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace ts::io
