// The pages of the web that files are converted to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/files/saved_session.h"
#include "tests/app/program.h"
#include "tests/app/summary_fixture.h"

namespace ts::app {
namespace {

// The data of a page of HTML, which loads nothing.
nlohmann::json data_of_page(const std::string& page) {
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  const std::string begin = R"(type="application/json">)";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

// The page holds its data, with texts that cannot end the element they stand in, and loads nothing.
TEST_F(SummaryCommand, ASnapshotBecomesAPageThatNeedsNothing) {
  std::string content = leaking(3);
  content.replace(content.find("keep_loss"), 9, "</script>");
  write("odd.json", content);
  const auto ended = testing::run_program("convert " + file("odd.json") + " " + file("odd.html"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto data = data_of_page(testing::read(file("odd.html")));
  EXPECT_EQ(data["title"], "odd.json");
  EXPECT_EQ(data["by_stack"], true) << "nobody says what the blocks hold";
  EXPECT_EQ(data["blocks"]["size"].size(), 7U);
  const auto& stacks = data["stacks"];
  EXPECT_NE(std::ranges::find(stacks, "</script>  /data/train.py:4\n"), stacks.end()) << stacks;
  refused("convert --device 3 " + file("odd.json") + " " + file("odd.html"), "nothing of device 3");
}

// As the window's list does: with segments and requests to free. A block that lived before the
// first event is there from before it.
TEST_F(SummaryCommand, APageCountsTheEventsOfTheList) {
  const auto entry = [](const char* action, std::int64_t address, const char* category = "") {
    nlohmann::json one = {
        {"action", action}, {"addr", address}, {"size", 512}, {"frames", nlohmann::json::array()}};
    if (*category != 0) one["category"] = category;
    return one;
  };
  const nlohmann::json trace = {
      entry("free_requested", 0x400),  entry("free_completed", 0x400),
      entry("segment_alloc", 0x10000), entry("alloc", 0x10000, "optimizer_state"),
      entry("alloc", 0x10200),         entry("free_requested", 0x10200),
      entry("free_completed", 0x10200)};
  write("listed.json",
        nlohmann::json{{"segments", nlohmann::json::array()}, {"device_traces", {trace}}}.dump());
  const auto ended =
      testing::run_program("convert " + file("listed.json") + " " + file("listed.html"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto data = data_of_page(testing::read(file("listed.html")));
  EXPECT_EQ(data["events"], summary(file("listed.json"))["events"]);
  EXPECT_EQ(data["events"], 7);
  EXPECT_EQ(data["first"], -1);
  EXPECT_NE(data["about"].get<std::string>().find("7 events"), std::string::npos) << data["about"];
  std::set<std::pair<int, int>> lives;
  const auto& blocks = data["blocks"];
  for (std::size_t i = 0; i < blocks["alloc"].size(); ++i)
    lives.emplace(blocks["alloc"][i].get<int>(), blocks["free"][i].get<int>());
  EXPECT_EQ(lives, (std::set<std::pair<int, int>>{{-1, 1}, {3, -1}, {4, 6}}));
  EXPECT_EQ(data["by_stack"], false);
  EXPECT_EQ(data["categories"][1]["name"], "optimizer state");
}

// The session of a window has notes on the file: on a moment, and on a block.
TEST_F(SummaryCommand, NotesOfASessionAreMarksOnThePage) {
  write("noted.json", leaking(3));
  write("other.json", leaking(2));
  files::SavedSession session;
  session.files = {{.path = file("noted.json"), .mark = {}, .devices = {{.index = 0}}}};
  session.files[0].devices[0].view.notes = {
      {.time_ns = 0, .block = std::nullopt, .text = "here </script>"},
      {.time_ns = std::int64_t{1} << 50, .block = 2, .text = "this one"},
      {.time_ns = 0, .block = 900, .text = "of another file"}};
  const auto bytes = files::session_bytes(session);
  ASSERT_TRUE(bytes) << bytes.error().sentence;
  write("noted.session", *bytes);
  const std::string convert = "convert --session " + file("noted.session") + " ";
  const auto ended = testing::run_program(convert + file("noted.json") + " " + file("noted.html"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto data = data_of_page(testing::read(file("noted.html")));
  ASSERT_EQ(data["notes"].size(), 2U) << "a block that is not there has no mark";
  EXPECT_EQ(data["notes"][0]["text"], "here </script>");
  EXPECT_EQ(data["notes"][0]["block"], -1);
  EXPECT_EQ(data["notes"][0]["event"], 0);
  EXPECT_EQ(data["notes"][1]["text"], "this one");
  EXPECT_GE(data["notes"][1]["block"], 0);
  EXPECT_EQ(data["notes"][1]["event"], data["events"].get<int>() - 1);
  refused(convert + file("other.json") + " " + file("other.html"), "does not have");
  refused(convert + file("noted.json") + " " + file("copy.json"), "--session");
}

// Kernels stand above threads, as in the window.
TEST_F(SummaryCommand, ATraceBecomesAPageThatNeedsNothing) {
  std::string content = kTrace;
  content.replace(content.find("aten::mm"), 8, "</script>");
  write("odd_trace.json", content);
  const auto ended =
      testing::run_program("convert " + file("odd_trace.json") + " " + file("trace.html"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto data = data_of_page(testing::read(file("trace.html")));
  EXPECT_EQ(data["title"], "odd_trace.json");
  std::map<std::string, std::pair<std::size_t, std::int64_t>> slices;  // track and length
  for (std::size_t track = 0; track < data["tracks"].size(); ++track) {
    for (const auto& lane : data["tracks"][track]["lanes"]) {
      for (std::size_t i = 0; i < lane["name"].size(); ++i)
        slices[data["texts"][lane["name"][i].get<std::size_t>()]] = {track, lane["length"][i]};
    }
  }
  ASSERT_TRUE(slices.contains("gemm") && slices.contains("</script>")) << data;
  EXPECT_LT(slices["gemm"].first, slices["</script>"].first);
  EXPECT_EQ(slices["gemm"].second, 2500);
  EXPECT_EQ(data["steps"], nullptr) << "there are none: all is shown at first";
  EXPECT_EQ(data["notes"].size(), 0U);
}

// As the window does; a note of its session is a mark.
TEST_F(SummaryCommand, APageOfATraceOpensOnItsStepsAndHasTheNotes) {
  std::string events = R"({"ph": "X", "pid": 1, "tid": 2, "cat": "cpu_op", "name": "aten::load",
    "ts": 1000, "dur": 9000})";
  for (int i = 0; i < 8; ++i) {
    events +=
        R"(, {"ph": "X", "pid": 1, "tid": 2, "cat": "user_annotation", "name": "ProfilerStep#)" +
        std::to_string(i) + R"(", "ts": )" + std::to_string(11'000 + 100 * i) + R"(, "dur": 100})";
  }
  write("steps.json", R"({"traceEvents": [)" + events + "]}");
  files::SavedSession session;
  session.files = {{.path = file("steps.json"), .mark = {}, .devices = {{.index = 0}}}};
  session.files[0].devices[0].view.notes = {
      {.time_ns = 10'400'001, .block = std::nullopt, .text = "slow </script>"}};
  const auto bytes = files::session_bytes(session);
  ASSERT_TRUE(bytes) << bytes.error().sentence;
  write("noted.session", *bytes);
  const std::string convert = "convert --session " + file("noted.session") + " ";
  const auto ended = testing::run_program(convert + file("steps.json") + " " + file("steps.html"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto data = data_of_page(testing::read(file("steps.html")));
  EXPECT_EQ(data["length"], 10'800'001);
  // Five steps and a fiftieth before them.
  EXPECT_EQ(data["steps"], nlohmann::json::parse("[10290000, 10800001]"));
  ASSERT_EQ(data["notes"].size(), 1U);
  EXPECT_EQ(data["notes"][0]["time"], 10'400'000);
  EXPECT_EQ(data["notes"][0]["text"], "slow </script>");
  write("other_trace.json", kTrace);
  refused(convert + file("other_trace.json") + " " + file("other.html"), "does not have");
  refused(convert + file("steps.json") + " " + file("copy.json"), "--session");
}

}  // namespace
}  // namespace ts::app
