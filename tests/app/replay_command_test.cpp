// The snapshot that a run writes, replayed as a user types it and looked at with PyTorch's script.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/summary_fixture.h"

namespace ts::app {
namespace {

class ReplayCommand : public FolderOfARun {
 protected:
  static std::string snapshot() { return file("snapshot.pickle"); }
  static nlohmann::json replay(const std::string& arguments) {
    const auto ended = testing::run_program("replay --json " + arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return nlohmann::json::parse(ended.out);
  }
};

TEST_F(ReplayCommand, AgreesWithTheRunThatWroteTheSnapshot) {
  const auto json = replay(snapshot());
  EXPECT_EQ(json["recorded"], json["simulated"]);
  EXPECT_TRUE(json["first_difference"].is_null());
  EXPECT_EQ(json["odd_events"], 0);
  EXPECT_EQ(json["peak_allocated"], json["simulated_peak_allocated"]) << "both requested bytes";
  EXPECT_EQ(json["segments"], "modelled") << "the CPU's allocator has none";
  const auto run = nlohmann::json::parse(testing::read(file("run.json")));
  EXPECT_GE(json["recorded"]["peak_reserved"], run["memory"]["peak_allocated"]);
  EXPECT_GT(json["events"], run["memory"]["events"]) << "segments and requests to free come on top";
}

TEST_F(ReplayCommand, SaysWhatOtherSettingsAndASmallerCardWouldDo) {
  const auto other = replay(snapshot() + " --alloc-conf expandable_segments:True");
  EXPECT_EQ(other["as_recorded"], false);
  EXPECT_EQ(other["alloc_conf"], "expandable_segments:True");
  EXPECT_EQ(other["expandable_segments"]["already_on"], true);
  const auto card = replay(snapshot() + " --gpu 'RTX 4090'");
  constexpr double kDriverGib = 23.49;
  EXPECT_EQ(card["capacity"], static_cast<std::int64_t>(kDriverGib * (std::int64_t{1} << 30)) -
                                  (std::int64_t{426} << 20))
      << "as its driver counts it, less what CUDA's context takes";
  EXPECT_EQ(card["simulated_ooms"], 0);
}

// At any event the parts are what lies between reserved and requested bytes.
TEST_F(ReplayCommand, ExplainsWhatIsReservedAtAnyEvent) {
  const auto whole = replay(snapshot());
  const auto& peak = whole["reserved_parts"];
  EXPECT_EQ(peak["reserved"], whole["simulated"]["peak_reserved"]);
  const auto events = whole["events"].get<std::int64_t>();
  for (const std::int64_t at : {std::int64_t{0}, events / 3, events}) {
    const auto json = replay(snapshot() + " --at " + std::to_string(at));
    const auto& parts = json["reserved_parts"];
    EXPECT_GE(parts["position"], at);
    std::int64_t sum = 0;
    for (const auto& bytes : parts["parts"]) sum += bytes.get<std::int64_t>();
    EXPECT_EQ(sum, parts["gap"]);
    EXPECT_EQ(sum, parts["reserved"].get<std::int64_t>() - parts["requested"].get<std::int64_t>());
    EXPECT_GE(parts["changes"].size(), 8U);
  }
  const auto ended = testing::run_program("replay " + snapshot());
  EXPECT_NE(ended.out.find("empty_cache() at this moment"), std::string::npos) << ended.out;
  const auto beyond = testing::run_program("replay " + snapshot() + " --at 99999999");
  EXPECT_EQ(beyond.code, 2);
  EXPECT_NE(beyond.err.find("--at"), std::string::npos) << beyond.err;
}

// 20 GiB were in memory when the recording of one event began.
TEST_F(ReplayCommand, WhatLayInMemoryBeforeCountsAgainstTheCard) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  constexpr std::int64_t kFirst = std::int64_t{1} << 40;
  auto segments = nlohmann::json::array();
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::int64_t address = kFirst + 4 * i * kGiB;
    segments.push_back({{"device", 0},
                        {"address", address},
                        {"total_size", 2 * kGiB},
                        {"stream", 0},
                        {"segment_type", "large"},
                        {"blocks",
                         {{{"address", address},
                           {"size", 2 * kGiB},
                           {"requested_size", 2 * kGiB},
                           {"state", "active_allocated"}}}}});
  }
  const nlohmann::json entry = {{"action", "alloc"},    {"addr", kFirst + 36 * kGiB},
                                {"size", 2 * kGiB},     {"stream", 0},
                                {"time_us", 1'000'000}, {"frames", nlohmann::json::array()}};
  write("before.json",
        nlohmann::json({{"segments", segments}, {"device_traces", {{entry}}}}).dump());
  const auto json = replay(file("before.json") + " --gpu 'RTX 4070'");
  EXPECT_EQ(json["start_reserved"], 20 * kGiB);
  EXPECT_EQ(json["peak_allocated"], 20 * kGiB);
  EXPECT_EQ(json["fits"], false);
  EXPECT_EQ(json["simulated_ooms"], 1);
  const auto& oom = json["simulated_oom"];
  EXPECT_EQ(oom["event"], 0);
  EXPECT_EQ(oom["before_recording"], true);
  EXPECT_EQ(oom["asked"], 2 * kGiB);
  const std::int64_t room = json["capacity"].get<std::int64_t>() % (2 * kGiB);
  EXPECT_EQ(oom["free"], room);
  EXPECT_EQ(oom["largest_free"], room);
  EXPECT_EQ(oom["pieces"], 1);
  EXPECT_TRUE(json["expandable_segments"]["helps"].is_null());
  const auto words = testing::run_program("replay " + file("before.json") + " --gpu 'RTX 4070'");
  EXPECT_NE(words.out.find("Does not fit: a block of 2.00 GiB that lived before the recording"),
            std::string::npos)
      << words.out;
  EXPECT_NE(words.out.find("Cannot tell"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("First difference: Not known: nothing was replayed."), std::string::npos)
      << words.out;
  EXPECT_NE(words.out.find("is not reserved."), std::string::npos) << words.out;
  const auto alone = testing::run_program("replay " + file("before.json"));
  EXPECT_NE(alone.out.find("The effect of other settings cannot be told"), std::string::npos)
      << alone.out;
  EXPECT_EQ(alone.out.find("With expandable_segments"), std::string::npos) << alone.out;
  const auto large = replay(file("before.json") + " --gpu 'RTX 4090'");
  EXPECT_EQ(large["fits"], true);
  EXPECT_TRUE(large["simulated_oom"].is_null());
}

// The first device is replayed; the words name the others and how to choose one.
TEST_F(ReplayCommand, NamesTheOtherDevicesOfASnapshot) {
  const auto trace = [](int bytes) {
    return nlohmann::json{{{"action", "segment_alloc"}, {"addr", 1 << 30}, {"size", 2 << 20}},
                          {{"action", "alloc"}, {"addr", 1 << 30}, {"size", bytes}}};
  };
  write("devices.json", nlohmann::json({{"segments", nlohmann::json::array()},
                                        {"device_traces",
                                         {nlohmann::json::array(), trace(512),
                                          nlohmann::json::array(), trace(1024)}}})
                            .dump());
  const std::string path = file("devices.json");
  EXPECT_EQ(replay(path)["device"], 1);
  EXPECT_EQ(replay(path)["other_devices"], (nlohmann::json{3}));
  const auto first = testing::run_program("replay " + path);
  EXPECT_NE(first.out.find("Also recorded: device 3; --device chooses."), std::string::npos)
      << first.out;
  const auto other = replay("--device 3 " + path);
  EXPECT_EQ(other["peak_allocated"], 1024);
  EXPECT_EQ(other["other_devices"], (nlohmann::json{1}));
  EXPECT_EQ(testing::run_program("replay " + snapshot()).out.find("Also recorded"),
            std::string::npos);
}

TEST_F(ReplayCommand, PrintsATableAndTheAnswer) {
  const auto ended = testing::run_program("replay " + snapshot());
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const char* words :
       {"Peak reserved", "First difference: None", "Would expandable segments have helped?"}) {
    EXPECT_NE(ended.out.find(words), std::string::npos) << ended.out;
  }
  EXPECT_NE(ended.out.find("modelled        simulated"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("recorded"), std::string::npos) << ended.out;
}

TEST_F(ReplayCommand, PyTorchsViewerReadsTheSnapshotOfARun) {
  const std::string command = "python3 -B '" TENSORSCOPE_SNAPSHOT_CHECK "' viewer '" + snapshot() +
                              "' '" TENSORSCOPE_MEMORY_VIZ "' > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  constexpr int kCannotLook = 77;
  if (!WIFEXITED(status) || WEXITSTATUS(status) == kCannotLook || WEXITSTATUS(status) == 127) {
    GTEST_SKIP() << "needs python3 and PyTorch's _memory_viz.py";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ReplayCommand, CodeInAPickleIsRefusedAndNotRun) {
  const std::filesystem::path witness = file("witness");
  // cos system, the text "touch ...", call it: what pickle.loads would run.
  write("evil.pickle",
        "\x80\x02"
        "cos\nsystem\nX" +
            std::string(1, static_cast<char>(6 + witness.string().size())) + std::string(3, '\0') +
            "touch " + witness.string() + "\x85R.");
  const auto ended = testing::run_program("replay " + file("evil.pickle"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("evil.pickle"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("code"), std::string::npos) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(witness));
}

TEST_F(ReplayCommand, OneEventIsNotSaidToBeSeveral) {
  write("refused.json", R"({"segments": [
      {"device": 0, "address": 4096, "total_size": 2097152, "stream": 0, "segment_type": "small",
       "blocks": [{"address": 4096, "size": 2097152, "state": "active_allocated"}]}],
      "device_traces": [[{"action": "oom", "device_free": 9, "size": 512, "stream": 0}]]})");
  const auto ended = testing::run_program("replay " + file("refused.json"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("device 0: 1 event, "), std::string::npos) << ended.out;
}

TEST_F(ReplayCommand, HalfAFileAndOneWithoutATraceGetTheirSentence) {
  const std::string whole = testing::read(snapshot());
  write("half.pickle", whole.substr(0, whole.size() / 2));
  const auto half = testing::run_program("replay " + file("half.pickle"));
  EXPECT_EQ(half.code, 2);
  EXPECT_NE(half.err.find("half.pickle"), std::string::npos) << half.err;
  write("empty.json", R"({"segments": [], "device_traces": [[]]})");
  const auto empty = testing::run_program("replay " + file("empty.json"));
  EXPECT_EQ(empty.code, 2);
  EXPECT_NE(empty.err.find("neither segments nor events"), std::string::npos) << empty.err;
  write("segments.json",
        R"({"segments": [{"device": 0, "address": 4096, "total_size": 512, "stream": 0,
            "segment_type": "small", "blocks": []}], "device_traces": [[]]})");
  const auto segments = testing::run_program("replay " + file("segments.json"));
  EXPECT_EQ(segments.code, 2);
  EXPECT_NE(segments.err.find("no trace"), std::string::npos) << segments.err;
  const auto device = testing::run_program("replay --device 3 " + snapshot());
  EXPECT_EQ(device.code, 2);
  EXPECT_NE(device.err.find("device 3"), std::string::npos) << device.err;
}

}  // namespace
}  // namespace ts::app
