#include "core/files/opened_trace.h"

#include <gtest/gtest.h>

#include "core/files/opened_file.h"
#include "core/io/file.h"
#include "core/stats/kernel_table.h"
#include "core/stats/operator_table.h"
#include "core/trace_file/trace_read.h"
#include "tests/io/temporary_folder.h"

namespace ts::files {
namespace {

// A step with an operator in another, its launch, its kernel on a stream, and its backward on
// another thread.
const char* const kTrace = R"text({"deviceProperties": [{"id": 0, "name": "H100"}], "traceEvents": [
{"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "thread 8 (python)"}},
{"ph": "M", "name": "thread_name", "pid": 7, "tid": 9, "args": {"name": "pt_autograd_0"}},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 7, "tid": 8, "ts": 1000,
 "dur": 100},
{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7, "tid": 8, "ts": 1010, "dur": 30,
 "args": {"External id": 1}},
{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 7, "tid": 8, "ts": 1012, "dur": 20,
 "args": {"External id": 2, "Input Dims": [[8], [4, 2], [2, 8], []],
          "Input type": ["float", "c10::BFloat16", "c10::BFloat16", "Scalar"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 8, "ts": 1015,
 "dur": 5, "args": {"correlation": 987654321987, "External id": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1050, "dur": 40.5,
 "args": {"device": 0, "stream": 7, "correlation": 987654321987, "External id": 2,
          "grid": [4, 2, 1], "block": [128, 1, 1], "registers per thread": 40}},
{"ph": "X", "cat": "kernel", "name": "after", "pid": 0, "tid": 7, "ts": 1200, "dur": 10,
 "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "cpu_op", "name": "AddmmBackward0", "pid": 7, "tid": 9, "ts": 1060, "dur": 9},
{"ph": "s", "cat": "fwdbwd", "id": 3, "pid": 7, "tid": 8, "ts": 1012},
{"ph": "f", "cat": "fwdbwd", "id": 3, "pid": 7, "tid": 9, "ts": 1060, "bp": "e"},
{"ph": "X", "cat": "python_function", "name": "train.py(3): main", "pid": 7, "tid": 8, "ts": 1001,
 "dur": 90},
{"ph": "i", "name": "[memory]", "ts": 1011, "pid": 7, "tid": 8,
 "args": {"Bytes": 4096, "Addr": 512, "Device Type": 1, "Device Id": 0}},
{"ph": "i", "name": "[memory]", "ts": 1012, "pid": 7, "tid": 8,
 "args": {"Bytes": 99, "Addr": 513, "Device Type": 0}},
{"ph": "i", "name": "[memory]", "ts": 1070, "pid": 7, "tid": 8,
 "args": {"Bytes": -4096, "Addr": 512, "Device Type": 1, "Device Id": 0}}
]})text";

OpenedTrace opened() {
  auto file = trace_file::parse_trace(kTrace);
  EXPECT_TRUE(file) << file.error().sentence;
  auto trace = open_trace(std::move(*file), 5);
  EXPECT_TRUE(trace) << trace.error().sentence;
  return std::move(*trace);
}

class OfTrace : public ::testing::Test {
 protected:
  OfTrace() : opened_(opened()) {}
  [[nodiscard]] std::string_view text(base::StringId id) const {
    return opened_.about.strings->view(id);
  }
  // The slice of that name, and where it is.
  [[nodiscard]] std::optional<trace::SliceRef> find(std::string_view name) const {
    const trace::TraceStore& store = opened_.run.trace;
    for (trace::TrackId track = 0; track < store.tracks().size(); ++track) {
      for (std::uint16_t depth = 0; depth < store.depth_count(track); ++depth) {
        for (std::uint32_t i = 0; i < store.lane_size(track, depth); ++i) {
          if (text(store.slice({track, depth, i}).name) == name) return {{track, depth, i}};
        }
      }
    }
    ADD_FAILURE() << "no slice " << name;
    return std::nullopt;
  }
  [[nodiscard]] const trace::Track& track_of(std::string_view name) const {
    return opened_.run.trace.tracks()[find(name)->track];
  }
  OpenedTrace opened_;
};

TEST_F(OfTrace, ThreadsAndStreamsAreTracks) {
  EXPECT_EQ(track_of("aten::linear").name, "thread 8 (python)");
  EXPECT_EQ(track_of("aten::linear").kind, trace::TrackKind::cpu_thread);
  EXPECT_EQ(track_of("AddmmBackward0").kind, trace::TrackKind::autograd_thread);
  EXPECT_EQ(track_of("cudaLaunchKernel").kind, trace::TrackKind::cuda_api);
  EXPECT_EQ(track_of("cudaLaunchKernel").name, "thread 8 (python)");
  EXPECT_EQ(track_of("gemm").kind, trace::TrackKind::gpu_stream);
  EXPECT_EQ(track_of("gemm").name, "GPU 0 stream 7");
  EXPECT_EQ(track_of("train.py(3): main").name, "thread 8 (python)");
  EXPECT_EQ(track_of("train.py(3): main").kind, trace::TrackKind::python);
  EXPECT_EQ(track_of("ProfilerStep#1").kind, trace::TrackKind::phases);
  EXPECT_EQ(find("aten::addmm")->depth, find("aten::linear")->depth + 1);
}

TEST_F(OfTrace, TimesCountFromTheFirstEvent) {
  const trace::Slice kernel = opened_.run.trace.slice(*find("gemm"));
  const trace::Slice step = opened_.run.trace.slice(*find("ProfilerStep#1"));
  EXPECT_EQ(kernel.begin_ns - step.begin_ns, 50'000);
  EXPECT_EQ(kernel.duration_ns, 40'500);
}

// The profiler's window begins 50 us before the first work and ends after the last.
TEST_F(OfTrace, TheTraceIsAsLongAsItsSummarySays) {
  std::string text(kTrace);
  const std::string window = R"text({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)",
    "pid": "Spans", "tid": "PyTorch Profiler", "ts": 950, "dur": 9000},)text";
  text.insert(text.find("[\n") + 1, window);
  auto file = trace_file::parse_trace(text);
  ASSERT_TRUE(file) << file.error().sentence;
  const std::size_t tracks = opened_.run.trace.tracks().size();
  opened_ = *open_trace(std::move(*file), 6);
  EXPECT_EQ(opened_.summary.span_ns, 210'000);
  const base::TimeRange shown = opened_.run.range();
  EXPECT_EQ(shown.length(), opened_.summary.span_ns + 1) << "to after the end";
  EXPECT_EQ(opened_.run.trace.slice(*find("ProfilerStep#1")).begin_ns, shown.begin);
  EXPECT_EQ(opened_.run.trace.tracks().size(), tracks) << "the window has no row";
  auto alone = trace_file::parse_trace("[" + window + "]");
  ASSERT_TRUE(alone) << alone.error().sentence;
  opened_ = *open_trace(std::move(*alone), 7);
  EXPECT_EQ(opened_.run.range().length(), 9'000'001) << "where there is nothing else";
}

TEST_F(OfTrace, AnOperatorIsLinkedWithItsKernelAndItsBackward) {
  const trace::TraceStore& store = opened_.run.trace;
  EXPECT_EQ(store.flow_partner(*find("cudaLaunchKernel")), find("gemm"));
  EXPECT_EQ(store.flow_partner(*find("aten::addmm")), find("AddmmBackward0"));
  const trace::Slice op = store.slice(*find("aten::addmm"));
  EXPECT_EQ(text(op.detail), "[8] fp32, [4, 2] bf16, [2, 8] bf16");
  EXPECT_EQ(op.slice_class, trace::SliceClass::matmul);
}

// Kernels that run after the profiler's last step count too.
TEST(OpenTrace, AKernelHasTheModuleThatLaunchedIt) {
  std::string text(kTrace);
  const std::string call = R"({"ph": "X", "cat": "python_function", "name": "nn.Module: Net_0",
    "pid": 7, "tid": 8, "ts": 1005, "dur": 50},)";
  text.insert(text.find("[\n") + 1, call);
  auto file = trace_file::parse_trace(text);
  ASSERT_TRUE(file);
  const auto trace = open_trace(std::move(*file), 5);
  ASSERT_TRUE(trace);
  const auto hits = trace->run.trace.search(*trace->about.strings, "gemm", 1);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(trace->about.strings->view(trace->run.trace.slice(hits[0]).module), "Net_0");
}

TEST_F(OfTrace, TheTablesOfRunsHoldAllOfIt) {
  const auto kernels =
      stats::kernel_table(opened_.run.trace, opened_.run.launches, *opened_.about.strings);
  ASSERT_EQ(kernels.rows.size(), 2U);
  EXPECT_EQ(text(kernels.rows[0].name), "gemm");
  EXPECT_EQ(kernels.rows[0].total_ns, 40'500);
  EXPECT_EQ(text(kernels.rows[0].launch.op), "aten::addmm");
  EXPECT_EQ(kernels.rows[0].launch.grid[1], 2);
  EXPECT_EQ(kernels.rows[0].op_flops, 2.0 * 4 * 2 * 8);
  const auto operators = stats::operator_table(opened_.run.trace, opened_.run.memory,
                                               *opened_.about.strings, stats::GroupBy::op);
  EXPECT_EQ(operators.rows.size(), 3U) << "steps and Python are none";
}

TEST_F(OfTrace, MemoryOfTheDeviceIsALog) {
  EXPECT_EQ(opened_.run.memory.peak_bytes(), 4096);
  EXPECT_EQ(text(opened_.run.memory.blocks()[0].op), "aten::linear");
  EXPECT_EQ(opened_.run.memory.current_bytes(), 0);
  EXPECT_EQ(opened_.run.memory.unmatched_frees(), 0U);
}

// Totals tell what was there before: a block that is freed later, and the rest.
TEST_F(OfTrace, MemoryBeforeTheTraceCounts) {
  auto file = trace_file::parse_trace(R"text({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 1, "dur": 5},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 1,
 "args": {"Device Type": 1, "Device Id": 0, "Addr": 256, "Bytes": 1000, "Total Allocated": 11000}},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 2,
 "args": {"Device Type": 1, "Device Id": 0, "Addr": 512, "Bytes": -4000, "Total Allocated": 7000}},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 3,
 "args": {"Device Type": 1, "Device Id": 0, "Addr": 256, "Bytes": -1000, "Total Allocated": 6000}}
]})text");
  ASSERT_TRUE(file) << file.error().sentence;
  const auto opened = open_trace(std::move(*file), 5);
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_EQ(opened->run.memory.peak_bytes(), 11'000);
  EXPECT_EQ(opened->run.memory.current_bytes(), 6'000);
  EXPECT_EQ(opened->run.memory.unmatched_frees(), 0U);
}

// A free that a profiler records after the last operator stands at its end.
TEST_F(OfTrace, MemoryBehindTheLastOperatorAddsNoTime) {
  auto file = trace_file::parse_trace(R"text({"traceEvents": [
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 5,
 "args": {"Device Type": 0, "Addr": 256, "Bytes": 1000}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 10, "dur": 20},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 20,
 "args": {"Device Type": 0, "Addr": 512, "Bytes": 500}},
{"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 900,
 "args": {"Device Type": 0, "Addr": 256, "Bytes": -1000}}
]})text");
  ASSERT_TRUE(file) << file.error().sentence;
  const auto opened = open_trace(std::move(*file), 5);
  ASSERT_TRUE(opened) << opened.error().sentence;
  EXPECT_EQ(opened->summary.span_ns, 20'000);
  EXPECT_EQ(opened->run.range(), opened->run.trace.range());
  EXPECT_EQ(opened->run.range().length(), opened->summary.span_ns + 1);
  EXPECT_EQ(opened->run.memory.peak_bytes(), 1'500);
  EXPECT_EQ(opened->run.memory.current_bytes(), 500) << "it is freed at the end";
}

// As Kineto's output_json.cpp writes them: the process is the device, the thread the stream; waits
// for a stream are on a row of their own (1,000,000 more), waits for a device on |-1|.
TEST_F(OfTrace, AnnotationsAndWaitsOfADeviceAreBesideIt) {
  auto file = trace_file::parse_trace(R"text({"traceEvents": [
{"ph": "M", "name": "thread_name", "pid": 9, "tid": 9, "args": {"name": "main"}},
{"ph": "X", "cat": "user_annotation", "name": "my forward", "pid": 9, "tid": 9, "ts": 1, "dur": 60},
{"ph": "X", "cat": "gpu_user_annotation", "name": "forward on it", "pid": 1, "tid": 7, "ts": 9.999,
 "dur": 40.002, "args": {"External id": 3}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 1, "tid": 7, "ts": 10, "dur": 40,
 "args": {"device": 1, "stream": 7, "correlation": 2}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP", "pid": 1, "tid": 9, "ts": 10, "dur": 5,
 "args": {"fromDevice": 0, "inDevice": 1, "toDevice": 1, "stream": 9, "bytes": 64}},
{"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 1, "tid": 7, "ts": 50, "dur": 1,
 "args": {"cuda_sync_kind": "Stream Wait Event", "stream": 7, "correlation": 3, "device": 1}},
{"ph": "X", "cat": "cuda_sync", "name": "Stream Sync", "pid": 1, "tid": 1000007, "ts": 52, "dur": 1,
 "args": {"cuda_sync_kind": "Stream Sync", "stream": 7, "correlation": 4, "device": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 9, "tid": 9, "ts": 55,
 "dur": 6, "args": {"correlation": 5}},
{"ph": "X", "cat": "cuda_sync", "name": "Context Sync", "pid": 1, "tid": 1, "ts": 56, "dur": 4,
 "args": {"cuda_sync_kind": "Context Sync", "stream": 4294967295, "correlation": 5, "device": 1}},
{"ph": "X", "cat": "cuda_sync", "name": "Unknown Sync", "pid": 1, "tid": 1, "ts": 61, "dur": 4,
 "args": {"cuda_sync_kind": "Context Sync", "stream": -1, "correlation": 6, "device": 1}}
]})text");
  ASSERT_TRUE(file) << file.error().sentence;
  opened_ = *open_trace(std::move(*file), 6);
  const auto expect = [&](const char* name, const char* track, trace::TrackKind kind, int device) {
    EXPECT_EQ(track_of(name).name, track) << name;
    EXPECT_EQ(track_of(name).kind, kind) << name;
    EXPECT_EQ(track_of(name).device, device) << name;
  };
  expect("my forward", "main", trace::TrackKind::cpu_thread, -1);
  expect("gemm", "GPU 1 stream 7", trace::TrackKind::gpu_stream, 1);
  expect("Memcpy PtoP", "GPU 1 stream 9", trace::TrackKind::gpu_stream, 1);
  expect("forward on it", "GPU 1 stream 7", trace::TrackKind::gpu_mark, 1);
  expect("Stream Wait Event", "GPU 1 stream 7", trace::TrackKind::wait, 1);
  expect("Stream Sync", "GPU 1 stream 7", trace::TrackKind::wait, 1);
  expect("Context Sync", "main", trace::TrackKind::wait, -1);
  expect("Unknown Sync", "GPU 1", trace::TrackKind::wait, 1);
  expect("cudaDeviceSynchronize", "main", trace::TrackKind::cuda_api, -1);
  const auto kernels =
      stats::kernel_table(opened_.run.trace, opened_.run.launches, *opened_.about.strings);
  ASSERT_EQ(kernels.devices.size(), 1U);
  EXPECT_EQ(kernels.devices[0].busy_ns, 40'000) << "neither an annotation nor a wait is work";
  EXPECT_EQ(kernels.devices[0].copy_ns, 5'000);
}

TEST_F(OfTrace, ThePhasesAreBelowTheStep) {
  const auto backward = find("backward");
  ASSERT_TRUE(backward);
  EXPECT_EQ(backward->depth, 2);
  const auto table = stats::operator_table(opened_.run.trace, opened_.run.memory,
                                           *opened_.about.strings, stats::GroupBy::phase);
  std::vector<base::Phase> phases;
  for (const stats::OperatorRow& row : table.rows) phases.push_back(row.phase);
  // The linear around the linked addmm begins before it.
  using base::Phase;
  EXPECT_EQ(phases, (std::vector{Phase::forward, Phase::idle, Phase::backward}));
}

TEST(OpenTrace, OnlyCallsOfTheDriverAreCudaApi) {
  auto file = trace_file::parse_trace(R"([
    {"ph": "X", "cat": "overhead", "name": "flush", "pid": 1, "tid": -54, "ts": 5, "dur": 9},
    {"ph": "X", "cat": "mine", "name": "own", "pid": 1, "tid": -54, "ts": 5, "dur": 9},
    {"ph": "X", "cat": "cuda_driver", "name": "cuLaunch", "pid": 1, "tid": -54, "ts": 5, "dur": 9,
     "args": {"correlation": 3}}])");
  ASSERT_TRUE(file);
  const auto trace = open_trace(std::move(*file), 5);
  ASSERT_TRUE(trace);
  std::vector<std::pair<std::string, trace::TrackKind>> tracks;
  for (const trace::Track& track : trace->run.trace.tracks())
    tracks.emplace_back(track.name, track.kind);
  std::ranges::sort(tracks);
  using trace::TrackKind;
  EXPECT_EQ(tracks,
            (std::vector<std::pair<std::string, TrackKind>>{{"phases", TrackKind::phases},
                                                            {"thread -54", TrackKind::cuda_api},
                                                            {"thread -54", TrackKind::overhead},
                                                            {"thread -54", TrackKind::other}}));
}

TEST(OpenTrace, CountersAndNamesOfThreadsAreKept) {
  auto file = trace_file::parse_trace(R"([
    {"ph": "X", "cat": "cpu_op", "name": "aten::a", "pid": 1, "tid": "thread A", "ts": 5, "dur": 9},
    {"ph": "X", "cat": "cpu_op", "name": "aten::b", "pid": 1, "tid": 7, "ts": 5, "dur": 9},
    {"ph": "C", "name": "GPU", "pid": 1, "ts": 7, "args": {"SM": 4}}])");
  ASSERT_TRUE(file);
  const auto trace = open_trace(std::move(*file), 5);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->counters.size(), 1U);
  EXPECT_EQ(trace->counters[0].points.at(0).time_ns, 2'001) << "0 means none to the timeline";
  std::vector<std::string> names;
  for (const trace::Track& track : trace->run.trace.tracks()) names.push_back(track.name);
  EXPECT_EQ(names, (std::vector<std::string>{"phases", "thread A", "thread 7"}));
}

TEST(OpenTrace, AFileOfTracesOpensWhateverItIsCalled) {
  const io::testing::TemporaryFolder folder;
  ASSERT_TRUE(io::write_file(folder / "any.name", kTrace));
  const auto file = open_file(folder / "any.name");
  ASSERT_TRUE(file) << file.error().sentence;
  ASSERT_NE((*file)->trace, nullptr);
  EXPECT_TRUE((*file)->devices.empty());
  EXPECT_EQ((*file)->trace->path, folder / "any.name");
  EXPECT_EQ((*file)->strings().size(), (*file)->trace->about.strings->size());
  ASSERT_TRUE(io::write_file(folder / "none.json", R"({"traceEvents": [{"ph": "M"}]})"));
  const auto none = open_file(folder / "none.json");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence.find("nothing to show"), std::string::npos);
}

TEST(ShapesOf, KinetosListsBecomeOurs) {
  EXPECT_EQ(shapes_of("[[2, 3], [], [4]]", R"(["float", "Scalar", "long int"])"),
            "[2, 3] fp32, [4] int64");
  EXPECT_EQ(shapes_of("[[], []]", R"(["float", ""])"), "[] fp32");
  EXPECT_EQ(shapes_of("[[[2], [3]], [5]]", R"(["TensorList", "c10::Half"])"), "[5] fp16");
  EXPECT_EQ(shapes_of("[[2,3]]", ""), "[2, 3]");
  EXPECT_EQ(shapes_of("[\n  [\n    2,\n    3\n  ]\n]", ""), "[2, 3]") << "a file with line breaks";
  EXPECT_EQ(shapes_of("]]][[", "\""), "");
}

}  // namespace
}  // namespace ts::files
