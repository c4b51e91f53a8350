#include "core/trace_file/trace_read.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/trace_file/trace_summary.h"
#include "core/trace_file/trace_write.h"
#include "tests/io/temporary_folder.h"

namespace ts::trace_file {
namespace {

const char* const kSmall = R"text({"schemaVersion": 1, "distributedInfo": {"rank": 3},
"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}, {"id": 1}],
"baseTimeNanoseconds": 1712345678000000000, "traceEvents": [
{"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
{"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "thread 8 (main)"}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20.5, "dur": 4.25,
 "args": {"device": 0, "stream": 7, "correlation": 55, "External id": 9, "grid": [4, 2, 1],
          "block": [128, 1, 1], "registers per thread": 40, "shared memory": 512}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 8, "ts": 10, "dur": 5,
 "args": {"External id": 9, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8, "ts": 12.001,
 "dur": 1, "args": {"correlation": 55}},
{"ph": "s", "cat": "ac2g", "id": 55, "name": "ac2g", "pid": 7, "tid": 8, "ts": 12.001},
{"ph": "f", "cat": "ac2g", "id": 55, "name": "ac2g", "pid": 0, "tid": 7, "ts": 20.5, "bp": "e"},
{"ph": "X", "cat": "kernel", "name": "add", "pid": 0, "tid": 20, "ts": 22, "dur": 10,
 "args": {"device": 0, "stream": 20}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 7, "tid": 8, "ts": 9,
 "dur": 30, "args": {}},
{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#4", "pid": 0, "tid": 7, "ts": 20,
 "dur": 12},
{"ph": "i", "name": "[memory]", "pid": 7, "tid": 8, "ts": 11, "args": {"Bytes": -512,
 "Addr": 140000000000000, "Device Type": 1, "Device Id": 0, "Total Allocated": 1024,
 "Total Reserved": 2097152}},
{"ph": "B", "cat": "python_function", "name": "f", "pid": 7, "tid": 8, "ts": 10},
{"ph": "E", "pid": 7, "tid": 8, "ts": 14.5}
]})text";

TraceFile parsed(const std::string& text) {
  auto file = parse_trace(text);
  EXPECT_TRUE(file) << file.error().sentence;
  return file ? std::move(*file) : TraceFile{};
}

std::string refused(const std::string& text) {
  const auto file = parse_trace(text);
  return file ? "it was read" : file.error().sentence;
}

const Event& event_named(const TraceFile& file, std::string_view name) {
  for (const Event& event : file.events) {
    if (file.strings->view(event.name) == name) return event;
  }
  ADD_FAILURE() << "no event " << name;
  static const Event kNone;
  return kNone;
}

TEST(TraceRead, ReadsEveryPart) {
  const TraceFile file = parsed(kSmall);
  EXPECT_EQ(file.fault.sentence, "");
  EXPECT_EQ(file.event_count, 13U);
  EXPECT_EQ(file.schema, 1);
  EXPECT_EQ(file.rank, 3);
  EXPECT_EQ(file.base_time_ns, 1712345678000000000);
  EXPECT_EQ(file.devices, (std::vector<std::string>{"NVIDIA H100", ""}));
  const Event& kernel = event_named(file, "gemm");
  EXPECT_EQ(kernel.kind, EventKind::kernel);
  EXPECT_EQ(kernel.begin_ns, 20'500);
  EXPECT_EQ(kernel.duration_ns, 4'250);
  EXPECT_EQ(kernel.correlation, 55);
  EXPECT_EQ(kernel.external, 9);
  EXPECT_EQ(file.launches.at(kernel.launch), (Launch{{4, 2, 1}, {128, 1, 1}, 40, 512}));
  EXPECT_EQ(file.tracks.at(kernel.track).device, 0);
  EXPECT_EQ(file.tracks.at(kernel.track).stream, 7);
  const Event& op = event_named(file, "aten::mm");
  EXPECT_EQ(file.strings->view(op.dims), "[[2, 3], [3, 4]]");
  EXPECT_EQ(file.strings->view(op.types), "[\"float\", \"float\"]");
  EXPECT_EQ(file.tracks.at(op.track).thread_name, "thread 8 (main)");
  EXPECT_EQ(file.tracks.at(op.track).process_name, "python");
  EXPECT_EQ(event_named(file, "cudaLaunchKernel").begin_ns, 12'001);
  EXPECT_EQ(event_named(file, "f").duration_ns, 4'500);
  ASSERT_EQ(file.flows.size(), 2U);
  EXPECT_EQ(file.flows[0].kind, FlowEnd::Kind::launch);
  EXPECT_TRUE(file.flows[0].begins);
  ASSERT_EQ(file.memory.size(), 1U);
  EXPECT_EQ(file.memory[0].bytes, -512);
  EXPECT_EQ(file.memory[0].device, 0);
  EXPECT_EQ(file.memory[0].total_reserved, 2097152);
}

TEST(TraceRead, EventsComeByBegin) {
  const TraceFile file = parsed(kSmall);
  for (std::size_t i = 1; i < file.events.size(); ++i) {
    EXPECT_LE(file.events[i - 1].begin_ns, file.events[i].begin_ns);
  }
  EXPECT_EQ(file.events[1].name, event_named(file, "aten::mm").name) << "the longer one first";
}

TEST(TraceRead, TheSummaryCountsOverlappingKernelsOnce) {
  const TraceFile file = parsed(kSmall);
  const TraceSummary summary = summary_of(file);
  ASSERT_EQ(summary.kernels.size(), 2U);
  EXPECT_EQ(file.strings->view(summary.kernels[0].name), "add");
  EXPECT_EQ(summary.gpu_busy_ns, 11'500) << "20.5 to 24.75 and 22 to 32";
  EXPECT_EQ(summary.span_ns, 30'000) << "9 to 39";
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(summary.steps[0].duration_ns, 30'000);
  EXPECT_EQ(summary.steps[0].operators, 1);
  EXPECT_EQ(summary.steps[0].launches, 1);
  EXPECT_EQ(summary.steps[0].gpu.compute_ns, 11'500);
  EXPECT_EQ(summary.steps[0].gpu.idle_ns, 18'500) << "of the 30 us from 9 to 39";
  ASSERT_EQ(summary.operators.size(), 1U);
  EXPECT_EQ(summary.operators[0].total_ns, 5'000);
}

// Copies and fills are work of the device, also copies that ROCm calls kernels.
TEST(TraceRead, TheSummaryCountsCopiesAndFillsAsBusy) {
  const auto work = [](const char* category, const char* name, int begin, int duration) {
    return R"({"ph": "X", "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7}, "cat": ")" +
           std::string(category) + R"(", "name": ")" + name + R"(", "ts": )" +
           std::to_string(begin) + R"(, "dur": )" + std::to_string(duration) + "}";
  };
  const TraceFile file =
      parsed("[" + work("kernel", "gemm", 0, 10) + "," + work("gpu_memcpy", "Memcpy HtoD", 20, 5) +
             "," + work("gpu_memset", "Memset", 30, 2) + "," +
             work("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 40, 4) + "," +
             work("kernel", "__amd_rocclr_copyBuffer", 50, 3) + "]");
  const TraceSummary summary = summary_of(file);
  EXPECT_EQ(summary.gpu.compute_ns, 12'000);
  EXPECT_EQ(summary.gpu.exposed_communication_ns, 4'000);
  EXPECT_EQ(summary.gpu.exposed_copy_ns, 8'000);
  EXPECT_EQ(summary.gpu.idle_ns, 29'000);
  EXPECT_EQ(summary.gpu_busy_ns, 24'000);
}

TEST(TraceRead, AListIsReadToo) {
  const TraceFile file =
      parsed(R"([{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": "CUDA functions",
                                     "tid": "stream 7"}, null, ])");
  EXPECT_EQ(file.fault.sentence, "");
  EXPECT_EQ(file.event_count, 1U);
  EXPECT_EQ(file.events.at(0).kind, EventKind::kernel);
  EXPECT_EQ(file.tracks.at(0).thread, "stream 7");
  EXPECT_EQ(parsed(R"([{"ph": "X", "name": "a", "ts": 1}, )").fault.sentence, "")
      << "Chrome's own lists may lack their end";
  EXPECT_NE(parsed(R"([{"ph": "X", "name": "a", "ts": 1}, {"ph": )").fault.sentence, "");
}

// A kernel's name once had them; Python's json and simdjson refuse the whole file.
TEST(TraceRead, RawControlCharactersInNamesAreKept) {
  const TraceFile file =
      parsed("[{\"ph\": \"X\", \"name\": \"a\x01\nb\tc\", \"ts\": 1, \"dur\": 1}]");
  EXPECT_EQ(file.strings->view(file.events.at(0).name), "a\x01\nb\tc");
}

TEST(TraceRead, ACutOffFileKeepsItsBeginning) {
  const std::string whole = kSmall;
  const TraceFile file = parsed(whole.substr(0, whole.find("\"add\"")));
  EXPECT_EQ(file.fault.sentence, "it ends in the middle, after 7 events");
  EXPECT_EQ(file.events.size(), 3U);
  for (std::size_t length = whole.find("traceEvents") + 20; length < whole.size(); ++length) {
    const auto part = parse_trace(whole.substr(0, length));
    EXPECT_TRUE(part && !part->fault.empty()) << length;
  }
}

TEST(TraceRead, AFaultSaysItsPlace) {
  std::string broken = kSmall;
  const std::size_t at = broken.find("\"cat\": \"cuda_runtime\"") + 5;
  broken[at] = ';';
  const TraceFile file = parsed(broken);
  EXPECT_EQ(file.fault.sentence,
            "byte " + std::to_string(at) + ": this is no JSON; 4 events stand before it");
}

TEST(TraceRead, OtherFilesAreNamedForWhatTheyAre) {
  EXPECT_EQ(refused(""), "the file is empty");
  EXPECT_EQ(refused("PK\x03\x04"), "this is not JSON");
  EXPECT_EQ(refused("{}"), "this is no trace: it has no traceEvents");
  EXPECT_EQ(refused(R"({"segments": [], "device_traces": []})"),
            "this is a memory snapshot of PyTorch, not a trace");
  EXPECT_EQ(refused("\x80\x02}."), "this is a memory snapshot of PyTorch, not a trace");
}

// By what it says: ids of texts and tracks may differ.
std::string as_text(const TraceFile& file) {
  nlohmann::json all = {{"devices", file.devices}, {"rank", file.rank}};
  for (const Event& event : file.events) {
    const Track& track = file.tracks.at(event.track);
    nlohmann::json one = {to_string(event.kind),
                          event.begin_ns,
                          event.duration_ns,
                          event.correlation,
                          event.external,
                          event.bytes,
                          file.strings->view(event.name),
                          file.strings->view(event.module),
                          file.strings->view(event.dims),
                          file.strings->view(event.types),
                          track.process,
                          track.thread,
                          track.process_name,
                          track.thread_name,
                          track.device,
                          track.stream};
    if (event.launch != kNoLaunch) {
      const Launch& launch = file.launches.at(event.launch);
      one.push_back({launch.grid, launch.block, launch.registers, launch.shared_memory});
    }
    all["events"].push_back(one);
  }
  for (const FlowEnd& end : file.flows)
    all["flows"].push_back({end.id, end.time_ns, static_cast<int>(end.kind), end.begins});
  for (const MemoryEvent& one : file.memory) {
    all["memory"].push_back(
        {one.time_ns, one.address, one.bytes, one.total_allocated, one.total_reserved, one.device});
  }
  return all.dump(1);
}

TEST(TraceWrite, WhatIsWrittenIsReadAgainAndIsJson) {
  const io::testing::TemporaryFolder folder;
  const auto path = folder / "again.json";
  const TraceFile file = parsed(kSmall);
  ASSERT_TRUE(write_trace(path, file, R"({"a": 1})"));
  const auto again = read_trace(path);
  ASSERT_TRUE(again) << again.error().sentence;
  EXPECT_EQ(again->fault.sentence, "");
  EXPECT_EQ(as_text(*again), as_text(file));
  const auto json = nlohmann::json::parse(io::testing::content_of(path));
  EXPECT_EQ(json["schemaVersion"], 1);
  EXPECT_EQ(json["otherData"]["a"], 1);
  EXPECT_EQ(json["deviceProperties"][0]["name"], "NVIDIA H100");
  EXPECT_FALSE(write_trace(path, file, "[1]"));
}

TEST(TraceWrite, ATableHasALineAnEvent) {
  const io::testing::TemporaryFolder folder;
  const TraceFile file = parsed(
      R"([{"ph": "X", "cat": "kernel", "name": "a,\"b\"", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2,
           "args": {"correlation": 4}}])");
  ASSERT_TRUE(write_trace_csv(folder / "t.csv", file));
  EXPECT_EQ(io::testing::content_of(folder / "t.csv"),
            "name,category,process,thread,begin_us,dur_us,correlation,external_id\n"
            "\"a,\"\"b\"\"\",kernel,0,7,1.500,2.000,4,\n");
}

TEST(TraceRead, OddValuesAreNoNumbers) {
  const TraceFile file = parsed(R"([{"ph": "X", "name": {"a": [1]}, "ts": "7", "pid": {},
      "tid": null, "args": "none", "cat": 5}, {"ph": "X", "dur": -5, "ts": "7.5"}, {"ph": {}}])");
  EXPECT_EQ(file.fault.key, "trace_error.impossible");
  EXPECT_EQ(file.event_count, 3U);
  ASSERT_EQ(file.events.size(), 1U);
  EXPECT_EQ(file.events[0].duration_ns, 0);
}

// Python's json module writes NaN and Infinity. Such events stood at time 0, before all others.
TEST(TraceRead, ATimeThatIsNoNumberIsLeftOutAndSaid) {
  for (const char* odd : {"NaN", "Infinity", "-Infinity", "null", "1e999", "\"soon\"", "5x"}) {
    const std::string time = odd;
    const TraceFile file = parsed(
        R"([{"ph": "X", "name": "a", "ts": 5000000, "dur": 2}, {"ph": "X", "name": "b", "ts": )" +
        time + R"(, "dur": 1}, {"ph": "X", "name": "c", "ts": 5000001, "dur": )" + time +
        R"(}, {"ph": "B", "name": "d", "ts": )" + time + R"(}, {"ph": "E", "ts": )" + time +
        R"(}, {"ph": "s", "id": 1, "ts": )" + time + R"(}, {"ph": "C", "name": "e", "ts": )" +
        time + R"(, "args": {"f": 1}}, {"ph": "i", "name": "[memory]", "ts": )" + time +
        R"(, "args": {"Bytes": 8}}])");
    ASSERT_EQ(file.events.size(), 1U) << odd;
    EXPECT_EQ(file.flows.size() + file.counters.size() + file.memory.size(), 0U) << odd;
    EXPECT_EQ(file.event_count, 8U) << odd;
    EXPECT_TRUE(file.fault.sentence.starts_with("7 events have impossible values")) << odd;
    EXPECT_EQ(summary_of(file).span_ns, 2000) << odd;
  }
}

// Ranks are put together by it.
TEST(TraceRead, AnImpossibleBaseTimeIsNotKnown) {
  for (const char* const time : {"-5", "9223372036854775807", "18446744073709551615", "1.5"}) {
    const TraceFile file =
        parsed(std::string(R"({"baseTimeNanoseconds": )") + time + R"(, "traceEvents": []})");
    EXPECT_EQ(file.base_time_ns, 0) << time;
  }
}

// Some programs write the threads' buffers one after the other, or newest first.
TEST(TraceRead, BeginsAndEndsArePairedByTime) {
  const TraceFile file = parsed(R"([
    {"ph": "E", "name": "b", "ts": 50, "pid": 1, "tid": 1},
    {"ph": "B", "name": "a", "ts": 10, "pid": 1, "tid": 1},
    {"ph": "B", "name": "b", "ts": 20.5, "pid": 1, "tid": 1},
    {"ph": "B", "name": "other", "ts": 15, "pid": 1, "tid": 2},
    {"ph": "E", "name": "a", "ts": 100, "pid": 1, "tid": 1},
    {"ph": "E", "ts": 5, "pid": 1, "tid": 2}])");
  EXPECT_EQ(event_named(file, "a").duration_ns, 90'000);
  EXPECT_EQ(event_named(file, "b").duration_ns, 29'500);
  EXPECT_EQ(event_named(file, "other").duration_ns, 0) << "its end is not in the file";
  EXPECT_EQ(file.events.size(), 3U);
}

TEST(TraceRead, CountersAreSeriesOverTime) {
  const TraceFile file = parsed(R"([
    {"ph": "X", "name": "k", "pid": 1, "tid": 1, "ts": 5, "dur": 1},
    {"ph": "C", "name": "GPU", "pid": 1, "ts": 20, "args": {"SM": 4, "W": 75.5, "state": "on"}},
    {"ph": "C", "name": "GPU", "pid": 1, "ts": 10, "args": {"SM": -3, "W": 1e400}},
    {"ph": "C", "name": "GPU", "pid": 2, "ts": 10, "args": {"SM": 7}},
    {"ph": "C", "name": "far", "pid": 2, "ts": 1e300, "args": {"": 7}}])");
  ASSERT_EQ(file.counters.size(), 3U);
  EXPECT_EQ(file.strings->view(file.counters[0].name), "GPU");
  EXPECT_EQ(file.strings->view(file.counters[0].series), "SM");
  ASSERT_EQ(file.counters[0].points.size(), 2U);
  EXPECT_EQ(file.counters[0].points[0].time_ns, 10'000);
  EXPECT_EQ(file.counters[0].points[0].value, -3);
  EXPECT_EQ(file.counters[0].points[1].value, 4);
  ASSERT_EQ(file.counters[1].points.size(), 1U) << "1e400 is no finite number";
  EXPECT_EQ(file.counters[1].points[0].value, 75.5);
  EXPECT_EQ(file.counters[2].process, "2");
  EXPECT_FALSE(file.fault.sentence.empty());
}

TEST(TraceRead, ImpossibleValuesAreLeftOutAndSaid) {
  const auto memory = [](const char* bytes) {
    return R"({"ph": "i", "name": "[memory]", "ts": 6, "args": {"Addr": 1, "Bytes": )" +
           std::string(bytes) + "}},";
  };
  const TraceFile file =
      parsed(R"([{"ph": "X", "name": "a", "ts": 5, "dur": 1}, {"ph": "X", "name": "b", "ts": 6},
    {"ph": "X", "name": "negative", "ts": 5, "dur": -1},
    {"ph": "X", "name": "in a thousand years", "ts": 1e300, "dur": 1},
    {"ph": "X", "name": "lasts a year", "ts": 7, "dur": 31536000000000},)" +
             memory("9223372036854775808") + memory("1e30") + memory("-4096") + memory("4096") +
             memory("4503599627370496") + "]");
  EXPECT_EQ(file.events.size(), 2U);
  ASSERT_EQ(file.memory.size(), 2U);
  EXPECT_EQ(file.memory[0].bytes, -4096);
  EXPECT_EQ(file.memory[1].bytes, 4096);
  EXPECT_EQ(file.fault.sentence,
            "6 events have impossible values, such as a negative duration or a time far from all "
            "others, and are left out");
}

// Wherever a piece ends, in whatever form and however much of it is there.
TEST(TraceRead, InPiecesItIsTheSame) {
  const std::string wide = nlohmann::json::parse(kSmall).dump(40);
  for (const std::string& text : {std::string(kSmall), wide, "\xEF\xBB\xBF" + wide}) {
    for (const std::size_t bytes : {2U, 3U, 17U, 64U, 1'000U}) {
      for (std::size_t cut = 0; cut < 40; ++cut) {
        const std::string part = text.substr(0, text.size() - cut * cut);
        const auto whole = parse_trace(part);
        io::Input input = io::Input::in_pieces(part, bytes);
        const auto pieces = parse_trace(input);
        ASSERT_EQ(pieces.has_value(), whole.has_value());
        if (!whole) continue;
        EXPECT_EQ(pieces->fault.sentence, whole->fault.sentence);
        EXPECT_EQ(pieces->event_count, whole->event_count);
        EXPECT_EQ(pieces->devices, whole->devices);
        EXPECT_EQ(pieces->bytes, part.size());
        ASSERT_EQ(pieces->events.size(), whole->events.size());
        for (std::size_t i = 0; i < whole->events.size(); ++i) {
          EXPECT_EQ(pieces->strings->view(pieces->events[i].name),
                    whole->strings->view(whole->events[i].name));
          EXPECT_EQ(pieces->events[i].duration_ns, whole->events[i].duration_ns);
        }
      }
    }
  }
}

std::vector<std::string> names_in(const std::string& text, const base::FileRange& range) {
  io::Input input = io::Input::in_pieces(text, 64);
  const auto file = parse_trace(input, range);
  std::vector<std::string> names;
  if (!file) return {file.error().sentence};
  for (const Event& event : file->events) names.emplace_back(file->strings->view(event.name));
  return names;
}

// A range of numbers counts events by their place; one of seconds has those that reach into it.
TEST(TraceRead, ARangeIsReadAlone) {
  const std::string text = R"({"traceEvents": [
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
    {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1000000, "dur": 500000},
    {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 2000000, "dur": 500000},
    {"ph": "B", "name": "c", "pid": 1, "tid": 1, "ts": 2100000},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 2200000},
    {"ph": "X", "name": "d", "pid": 1, "tid": 1, "ts": 4000000, "dur": 500000}]})";
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in(text, {}), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(names_in(text, {.from = 1, .to = 3}), (Names{"a", "b"}));
  const auto seconds = base::FileRange::Unit::seconds;
  EXPECT_EQ(names_in(text, {seconds, 0.4, 1.1}), (Names{"a", "b"}));
  EXPECT_EQ(names_in(text, {seconds, 1.15, 2}), (Names{"b", "c"}));
  EXPECT_EQ(names_in(text, {seconds, 1.3, 2}), Names{"b"}) << "c has ended";
  EXPECT_EQ(names_in(text, {seconds, 2.5}), Names{"d"});
  io::Input input = io::Input::of(text);
  const auto file = parse_trace(input, {.from = 5});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->event_count, 2U) << "the name of the thread is one";
  EXPECT_EQ(file->tracks.at(0).thread_name, "main");
}

}  // namespace
}  // namespace ts::trace_file
