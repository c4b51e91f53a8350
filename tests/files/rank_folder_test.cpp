#include "core/files/rank_folder.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "core/files/opened_file.h"
#include "core/files/opened_trace.h"
#include "core/io/file.h"
#include "core/stats/kernel_table.h"
#include "core/trace/track_order.h"
#include "core/trace_file/trace_read.h"
#include "tests/io/gzip_bytes.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

using Json = nlohmann::json;

// An operator and its kernel, both on device 0 of their machine; the file's clock begins at
// `base_us`.
std::string rank_bytes(int rank, int base_us) {
  const auto event = [](const std::string& words) { return "{\"ph\": \"X\", " + words + "}"; };
  return R"({"distributedInfo": {"rank": )" + std::to_string(rank) +
         R"(}, "baseTimeNanoseconds": )" + std::to_string(base_us) + R"(000, "traceEvents": [)" +
         event(R"("cat": "cpu_op", "name": "aten::mm", "pid": 5, "tid": 5, "ts": 10, "dur": 50)") +
         "," + event(R"("cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 30,
                  "args": {"device": 0, "stream": 7})") +
         R"(,{"ph": "i", "name": "[memory]", "pid": 5, "tid": 5, "ts": 15, "args": {"Bytes": )" +
         std::to_string(1024 * (rank + 1)) +
         R"(, "Addr": 512, "Device Type": 1, "Device Id": 0, "Total Allocated": 4096}}]})";
}

class RankFolder : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(io::write_file(folder_.path() / name, bytes));
  }
  io::testing::TemporaryFolder folder_;
};

TEST_F(RankFolder, BecomesOneTraceOnOneClock) {
  add("b.pt.trace.json", rank_bytes(0, 1000));
  add("a.pt.trace.json.gz", io::testing::gzipped(rank_bytes(1, 1400)));
  add("notes.json", R"({"lr": 0.1})");
  add("readme.txt", "no trace");
  EXPECT_EQ(files_of_ranks(folder_.path()).size(), 3U);
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged) << merged.error().sentence;
  ASSERT_EQ(merged->events.size(), 4U);
  EXPECT_EQ(merged->event_count, 6U);
  EXPECT_EQ(merged->tracks[merged->events[0].track].process_name, "rank 0");
  EXPECT_EQ(merged->events[2].begin_ns - merged->events[0].begin_ns, 400'000);
  EXPECT_NE(merged->tracks[merged->events[1].track].device,
            merged->tracks[merged->events[3].track].device)
      << "each machine has a device 0";

  const auto opened = open_file(folder_.path());
  ASSERT_TRUE(opened) << opened.error().sentence;
  const run::Run& run = (*opened)->trace->run;
  std::string names;
  for (const trace::Track& track : run.trace.tracks()) names += track.name + "\n";
  EXPECT_NE(names.find("rank 1: GPU 1 stream 7"), std::string::npos) << names;
  const auto kernels =
      stats::kernel_table(run.trace, run.launches, *(*opened)->trace->about.strings);
  ASSERT_EQ(kernels.devices.size(), 2U);
  EXPECT_EQ(kernels.devices[1].busy_ns, 30'000);
}

// Both ranks have the address 512.
TEST_F(RankFolder, MemoryStaysApartByItsRank) {
  add("a.json", rank_bytes(0, 1000));
  add("b.json", rank_bytes(1, 1400));
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged) << merged.error().sentence;
  ASSERT_EQ(merged->memory.size(), 2U);
  EXPECT_EQ(merged->memory[0].device, 0);
  EXPECT_EQ(merged->memory[1].device, 1);
  EXPECT_EQ(merged->memory[1].time_ns - merged->memory[0].time_ns, 400'000);
  EXPECT_EQ(merged->tracks[merged->memory[1].track].process_name, "rank 1");
  const auto opened = open_file(folder_.path());
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_EQ((*opened)->trace->run.memory.peak_bytes(), 4096) << "the total of one rank";
  EXPECT_EQ((*opened)->trace->memory.rank, "rank 0");
  EXPECT_EQ((*opened)->trace->memory.device, 0);
  EXPECT_EQ((*opened)->trace->memory.places, 2);
}

// Steps of ranks at the same times: a row for each, on top of what is of that rank.
TEST_F(RankFolder, StepsAndTracksStandByTheirRank) {
  for (int rank = 0; rank < 3; ++rank) {
    std::string bytes = rank_bytes(rank, 1000);
    const std::string step = R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7",
        "pid": 5, "tid": 5, "ts": )" +
                             std::to_string(8 + rank) + R"(, "dur": 60},)";
    bytes.insert(bytes.find('[') + 1, step);
    add(std::string(1, static_cast<char>('c' - rank)) + ".json", bytes);
  }
  const auto opened = open_file(folder_.path());
  ASSERT_TRUE(opened) << opened.error().sentence;
  const OpenedTrace& trace = *(*opened)->trace;
  const trace::TraceStore& store = trace.run.trace;
  std::vector<std::int32_t> ranks;
  std::vector<std::pair<std::int32_t, std::uint32_t>> steps;  // rank and how many
  for (const trace::TrackId id : trace::tracks_in_order(store)) {
    const trace::Track& track = store.tracks()[id];
    if (ranks.empty() || ranks.back() != track.rank) ranks.push_back(track.rank);
    if (track.kind == trace::TrackKind::phases && track.rank >= 0)
      steps.emplace_back(track.rank, store.lane_size(id, 0));
  }
  EXPECT_EQ(ranks, (std::vector<std::int32_t>{-1, 0, 1, 2}));
  EXPECT_EQ(steps, (std::vector<std::pair<std::int32_t, std::uint32_t>>{{0, 1}, {1, 1}, {2, 1}}));
  ASSERT_EQ(trace.summary.steps.size(), 3U);
  EXPECT_EQ(trace.summary.steps[1].rank, "rank 1");
  EXPECT_EQ(trace.summary.whole_steps, 3);
  EXPECT_EQ(trace.summary.steps_of_one, 1);
}

// The program takes this from a trace: a line each.
std::vector<std::string> stated_by(const trace_file::TraceFile& file) {
  const auto track = [&](std::uint32_t number) {
    const trace_file::Track& of = file.tracks[number];
    // A wait's track has the name of its stream only where ranks are merged.
    return fmt::format("{}/{} {} device {} stream {}", of.process, of.thread, of.process_name,
                       of.device, of.stream);
  };
  const auto text = [&](base::StringId id) { return file.strings->view(id); };
  std::vector<std::string> lines;
  for (const trace_file::Event& event : file.events) {
    lines.push_back(fmt::format(
        "{} {} {} {}+{} {} {} {} {} {} launch {}", track(event.track), text(event.name),
        to_string(event.kind), event.begin_ns, event.duration_ns, event.correlation, event.external,
        event.bytes, text(event.dims), text(event.types),
        event.launch == trace_file::kNoLaunch ? -1 : file.launches[event.launch].registers));
  }
  for (const trace_file::FlowEnd& end : file.flows) {
    lines.push_back(fmt::format("{} flow {} {} {} {}", track(end.track), end.id, end.time_ns,
                                static_cast<int>(end.kind), end.begins));
  }
  for (const trace_file::MemoryEvent& event : file.memory) {
    lines.push_back(fmt::format("{} memory {} {} {} {} on {}", track(event.track), event.time_ns,
                                event.address, event.bytes, event.total_allocated, event.device));
  }
  std::set<std::string> names;
  for (const trace_file::Track& of : file.tracks) {
    if (!of.thread_name.empty())
      names.insert(of.process + "/" + of.thread + " is " + of.thread_name);
  }
  lines.insert(lines.end(), names.begin(), names.end());
  for (const std::string& name : file.devices) lines.push_back("has " + name);
  lines.push_back(fmt::format("base {} rank {}", file.base_time_ns, file.rank));
  return lines;
}

class RankCopy : public RankFolder {
 protected:
  // The copy as JSON, which tells the program what the folder does.
  Json copied() {
    const auto fault = copy_ranks(folder_.path(), out());
    EXPECT_TRUE(fault) << fault.error().sentence;
    if (!fault) return {};
    fault_ = fault->sentence;
    const auto merged = read_ranks(folder_.path());
    const auto again = trace_file::read_trace(out());
    EXPECT_TRUE(merged && again);
    if (merged && again) {
      EXPECT_EQ(stated_by(*again), stated_by(*merged));
    }
    return Json::parse(*io::read_file(out()));
  }
  [[nodiscard]] std::filesystem::path out() const { return elsewhere_.path() / "one.json"; }
  // The one event of that name and process; ranks have 100 processes each.
  static Json event(const Json& trace, const std::string& name, int rank = 0) {
    Json found;
    for (const Json& each : trace["traceEvents"]) {
      if (each["ph"] == "M" || each["name"] != name || each["pid"].get<int>() / 100 != rank)
        continue;
      EXPECT_TRUE(found.is_null()) << found << each;
      found = each;
    }
    return found;
  }
  io::testing::TemporaryFolder elsewhere_;
  std::string fault_;
};

std::string rich_rank(int rank, const std::string& base) {
  const std::string number = std::to_string(rank);
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 3, "name": "H100", "numSms": 132}],
  "distributedInfo": {"backend": "nccl", "rank": )" +
         number + R"(, "world_size": 2}, )" + base +
         R"("traceEvents": [
 {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 1, "args": {"name": "python"}},
 {"ph": "M", "name": "process_labels", "pid": 7, "tid": 0, "ts": 1, "args": {"labels": "CPU"}},
 {"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "main \"one\""}},
 {"ph": "X", "cat": "gpu_user_annotation", "name": "step", "pid": 3, "tid": 7, "ts": 1710, "dur": 30,
  "args": {"External id": 9}},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": "7", "tid": 8, "ts": 1712.0010625, "dur": 5.25,
  "args": {"External id": 9, "Sequence number": 3, "Input Dims": [[2, 3]], "Concrete Inputs": ["", "2"],
           "Call stack": "train.py(3): main;a \"b\" c", "x": 18446744073709551615}},
 {"ph": "X", "cat": "cuda_runtime", "name": "launch", "pid": 7, "tid": 8, "ts": "1713", "dur": 1,
  "args": {"correlation": 12, "cbid": 211}},
 {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 3, "tid": 7, "ts": 1720, "dur": 9,
  "args": {"device": 3, "stream": 7, "correlation": 12, "est. achieved occupancy %": 31, "grid": [1, 2, 3],
           "registers per thread": 40, "block": [1, 1, 1]}},
 {"ph": "X", "cat": "cuda_sync", "name": "wait", "pid": 3, "tid": 7, "ts": 1730, "dur": 1,
  "args": {"wait_on_cuda_event_record_corr_id": 12, "stream": 7, "device": 3, "correlation": 13}},
 {"ph": "B", "name": "stretch", "pid": "Spans", "tid": "a", "ts": 1740}, {"ph": "E", "name": "end", "pid": "Spans", "tid": "a", "ts": 1741},
 {"ph": "X", "name": "no process", "tid": 2, "ts": 1742, "dur": 1},
 {"ph": "C", "name": "power", "pid": "GPU 0", "ts": 1700.5, "args": {"W": 300.25}},
 {"ph": "i", "name": "mark", "pid": 7, "tid": 9, "ts": 1.7e3, "s": "t", "args": {"device": 3, "why": null}},
 {"ph": "i", "name": "[memory]", "pid": 7, "tid": 9, "ts": 1711, "s": "t",
  "args": {"Bytes": 1, "Addr": 18446744073709551615, "Device Type": 0, "Device Id": -1}},
 {"ph": "i", "name": "[memory]", "pid": 7, "tid": 8, "ts": 1712, "s": "t",
  "args": {"Bytes": 512, "Addr": 1, "Device Type": 1, "Device Id": 4, "Total Allocated": 512}},
 {"ph": "s", "cat": "ac2g", "id": 12, "pid": 7, "tid": 8, "ts": 1713, "name": "arrow"},
 {"ph": "f", "cat": "ac2g", "id": 12, "pid": 3, "tid": 7, "ts": 1720, "name": "end of arrow", "bp": "e"},
 {"ph": "s", "cat": "fwdbwd", "id": "0x12", "pid": 7, "tid": 8, "ts": 1713, "name": "text"}
 ], "traceName": "rank )" +
         number + "\"}";
}

TEST_F(RankCopy, KeepsEveryArgumentOfEveryEvent) {
  add("b.json", rich_rank(0, "\"baseTimeNanoseconds\": 1700000000000000000,"));
  add("a.json.gz",
      io::testing::gzipped(rich_rank(1, "\"baseTimeNanoseconds\": 1700000000000400500,")));
  const Json trace = copied();
  EXPECT_EQ(fault_, "");
  EXPECT_EQ(trace["baseTimeNanoseconds"], 1700000000001710000);
  EXPECT_EQ(trace["traceName"], "rank 0");
  EXPECT_EQ(trace["distributedInfo"], (Json{{"backend", "nccl"}, {"world_size", 2}}));
  ASSERT_EQ(trace["deviceProperties"].size(), 2U);
  EXPECT_EQ(trace["deviceProperties"][1], (Json{{"id", 2}, {"name", "H100"}, {"numSms", 132}}));
  EXPECT_EQ(event(trace, "aten::mm"),
            Json::parse(R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 0, "tid": 8,
    "ts": 2.0010625, "dur": 5.25, "args": {"External id": 9, "Sequence number": 3, "Input Dims": [[2, 3]],
    "Concrete Inputs": ["", "2"], "Call stack": "train.py(3): main;a \"b\" c", "x": 18446744073709551615}})"));
  constexpr std::int64_t kSecond = std::int64_t{1} << 40;  // the numbers of rank 1
  EXPECT_EQ(event(trace, "gemm", 1), (Json{{"ph", "X"},
                                           {"cat", "kernel"},
                                           {"name", "gemm"},
                                           {"pid", 101},
                                           {"tid", 7},
                                           {"ts", 410.5},
                                           {"dur", 9},
                                           {"args",
                                            {{"device", 2},
                                             {"stream", 7},
                                             {"correlation", kSecond + 12},
                                             {"est. achieved occupancy %", 31},
                                             {"grid", {1, 2, 3}},
                                             {"registers per thread", 40},
                                             {"block", {1, 1, 1}}}}}));
  EXPECT_EQ(event(trace, "step", 1)["args"], (Json{{"External id", kSecond + 9}, {"device", 2}}));
  EXPECT_EQ(event(trace, "wait", 1)["args"]["wait_on_cuda_event_record_corr_id"], kSecond + 12);
  EXPECT_EQ(event(trace, "power", 1)["args"], (Json{{"W", 300.25}}));
  EXPECT_EQ(event(trace, "power", 1)["ts"], 391);
  EXPECT_EQ(event(trace, "mark", 1)["args"], (Json{{"device", 2}, {"why", nullptr}}));
  EXPECT_EQ(event(trace, "mark", 1)["ts"], 390.5);
  EXPECT_NE(event(trace, "text")["id"], event(trace, "text", 1)["id"]);
  EXPECT_EQ(event(trace, "arrow", 1)["id"], event(trace, "end of arrow", 1)["id"]);
  std::map<std::string, int> names;
  for (const Json& each : trace["traceEvents"]) {
    if (each["ph"] == "M") ++names[each["args"].begin()->dump()];
  }
  EXPECT_EQ(names["\"CPU\""], 2);
  EXPECT_EQ(names["\"rank 1: GPU 0\""], 1) << "a process of counters alone";
  EXPECT_EQ(names["\"rank 1: main \\\"one\\\"\""], 2);
  EXPECT_EQ(names["\"python\""], 0);
}

// Lists have no clock; profilers before 2021 tell the kind by the process.
TEST_F(RankCopy, TakesTracesOfEveryForm) {
  add("a.json",
      R"([{"ph": "X", "name": "mm", "pid": "CPU functions", "tid": 1, "ts": 1000, "dur": 2, "args": {}},
    {"ph": "X", "name": "k", "pid": "CUDA functions", "tid": 0, "ts": 1.23e3, "dur": 2},
    {"ph": "i", "name": "early", "ts": 0.25, "pid": 1}, null, ])");
  add("b.json",
      R"({"traceEvents": [{"ph": "X", "name": "x", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 7.1234567, "dur": 1}]})");
  const Json trace = copied();
  EXPECT_EQ(event(trace, "early")["ts"], -6.873);
  EXPECT_EQ(event(trace, "mm")["ts"], 992.877);
  EXPECT_EQ(event(trace, "k")["ts"], 1222.877);
  EXPECT_EQ(event(trace, "k")["cat"], "kernel");
  EXPECT_EQ(event(trace, "x", 1)["ts"], 0.0004567) << "all digits stay";
}

TEST_F(RankCopy, NamesADamagedRankAndMendsIt) {
  const std::string whole = rich_rank(1, "");
  add("a.json", rich_rank(0, "\"x\": inf,"));
  add("b.json", whole.substr(0, whole.find("\"cuda_sync\"")));
  add("c.json", "");
  const Json trace = copied();
  EXPECT_EQ(trace["x"], "inf");
  EXPECT_EQ(event(trace, "gemm", 1)["args"]["grid"], (Json{1, 2, 3}));
  EXPECT_EQ(event(trace, "power", 1), Json());
  EXPECT_NE(fault_.find("c.json"), std::string::npos) << fault_;
  std::filesystem::remove(folder_.path() / "c.json");
  copied();
  EXPECT_NE(fault_.find("b.json"), std::string::npos) << fault_;
}

TEST_F(RankCopy, WritesNothingWhereNoTraceIs) {
  add("notes.json", R"({"lr": 0.1})");
  EXPECT_FALSE(copy_ranks(folder_.path(), out()));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(RankFolder, TracesOfDifferentTimesAreSaidToBeSo) {
  add("rank0.json", rank_bytes(0, 1000));
  add("rank1.json", rank_bytes(1, 2000));
  EXPECT_TRUE(read_ranks(folder_.path())->fault.empty());
  const io::testing::TemporaryFolder elsewhere;
  EXPECT_TRUE(copy_ranks(folder_.path(), elsewhere.path() / "one.json")->empty());
  constexpr int kTwentyMinutes = 20 * 60 * 1'000'000;
  add("another.json", rank_bytes(2, kTwentyMinutes));
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->events.size(), 6U);
  EXPECT_NE(merged->fault.sentence.find("19 minutes"), std::string::npos) << merged->fault.sentence;
  EXPECT_EQ(copy_ranks(folder_.path(), elsewhere.path() / "one.json")->sentence,
            merged->fault.sentence);
}

TEST_F(RankFolder, WithoutATraceIsRefused) {
  add("notes.json", R"({"lr": 0.1})");
  const auto merged = read_ranks(folder_.path());
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().sentence.find("nor traces of ranks"), std::string::npos);
}

TEST_F(RankFolder, ADamagedRankIsNamed) {
  add("rank0.json", rank_bytes(0, 1000));
  add("rank1.json", rank_bytes(1, 1000).substr(0, 260));
  const auto merged = read_ranks(folder_.path());
  ASSERT_TRUE(merged) << merged.error().sentence;
  EXPECT_EQ(merged->events.size(), 3U);
  EXPECT_NE(merged->fault.sentence.find("rank1.json"), std::string::npos);
}

}  // namespace
}  // namespace ts::files
