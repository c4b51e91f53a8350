// A run written as a trace has what Kineto's readers look for, and comes back equal.
#include "core/files/trace_of_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files/opened_trace.h"
#include "core/stats/kernel_table.h"
#include "core/trace_file/trace_read.h"
#include "core/trace_file/trace_write.h"
#include "tests/io/temporary_folder.h"
#include "tests/memory/records.h"

namespace ts::files {
namespace {

using nlohmann::json;
using trace::SliceClass;
using trace::TrackKind;

constexpr std::uint32_t kLaunch = 0x8000'0005U;

// A step of one operator and its backward, and on a GPU the kernel that it launched.
class TraceOfRun : public ::testing::Test {
 protected:
  static constexpr std::int64_t kBegin = 5'000'000'000'000'000;

  TraceOfRun() : run_(run::StartedUpdate{}) {
    run_.device_name = "NVIDIA H100";
    run_.spec.device = spec::DeviceKind::cuda;
    run_.trace.add_track({TrackKind::phases, "phases"});
    run_.trace.add_track({TrackKind::cpu_thread, "worker"});
    run_.trace.add_track({TrackKind::autograd_thread, "autograd"});
    run_.trace.add_track({TrackKind::cuda_api, "thread 31"});
    run_.trace.add_track({TrackKind::gpu_stream, "GPU 0 stream 7", 0});
    append(0, 0, 0, 90'000, "step 0", SliceClass::step);
    append(0, 1, 100, 40'000, "forward", SliceClass::forward);
    append(1, 0, 500, 30'000, "blocks.0", SliceClass::module);
    append(1, 1, 1000, 20'000, "aten::mm", SliceClass::matmul, 3, "[2, 3] bf16, [3, 4] bf16",
           "blocks.0.\"mlp\"");
    append(2, 0, 50'000, 9'001, "MmBackward0", SliceClass::matmul, 3);
    append(3, 0, 2000, 700, "cudaLaunchKernel", SliceClass::other, kLaunch, "aten::mm");
    append(4, 0, 40'000, 12'345, "gemm<\"f\">", SliceClass::matmul, kLaunch,
           "aten::mm, grid 2x1x1");
    append(4, 0, 60'000, 10, "Memset (Device)", SliceClass::copy, 0, "64 B");
    run_.launches[strings_.intern("aten::mm, grid 2x1x1")] = {
        strings_.intern("aten::mm"), {2, 1, 1}, {128, 1, 1}, 40, 512};
    run_.memory.append(memory::testing::alloc(kBegin + 1500, 0xA00, 4096));
    run_.memory.append(memory::testing::free(kBegin + 70'000, 0xA00));
  }

  void append(trace::TrackId track, std::uint16_t depth, std::int64_t begin, std::int64_t duration,
              const char* name, SliceClass slice_class, std::uint32_t flow = 0,
              const char* detail = "", const char* module = "") {
    trace::Slice slice;
    slice.begin_ns = kBegin + begin;
    slice.duration_ns = duration;
    slice.name = strings_.intern(name);
    slice.detail = strings_.intern(detail);
    slice.module = strings_.intern(module);
    slice.slice_class = slice_class;
    slice.flow = flow;
    ASSERT_TRUE(run_.trace.append(track, depth, slice));
  }

  json written() {
    EXPECT_TRUE(trace_file::write_trace(path_, trace_of_run(run_, strings_), R"({"n": 1})"));
    return json::parse(io::testing::content_of(path_));
  }
  static json named(const json& document, const std::string& name) {
    for (const json& event : document["traceEvents"]) {
      if (event["name"] == name && event["ph"] == "X") return event;
    }
    ADD_FAILURE() << "no event " << name;
    return {};
  }

  io::testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "trace.json";
  base::StringTable strings_;
  run::Run run_;
};

TEST_F(TraceOfRun, HasTheSchemaOfKineto) {
  const json document = written();
  EXPECT_EQ(document["schemaVersion"], 1);
  EXPECT_EQ(document["deviceProperties"][0]["name"], "NVIDIA H100");
  EXPECT_EQ(document["otherData"]["n"], 1);
  const json op = named(document, "aten::mm");
  EXPECT_EQ(op["cat"], "cpu_op");
  EXPECT_EQ(op["ts"], 1.0);
  EXPECT_EQ(op["dur"], 20.0);
  EXPECT_EQ(op["args"]["Input Dims"], json::parse("[[2, 3], [3, 4]]"));
  EXPECT_EQ(op["args"]["Input type"], json::parse(R"(["c10::BFloat16", "c10::BFloat16"])"));
  EXPECT_EQ(op["args"]["module"], "blocks.0.\"mlp\"");
  const json kernel = named(document, "gemm<\"f\">");
  EXPECT_EQ(kernel["cat"], "kernel");
  EXPECT_EQ(kernel["args"]["stream"], 7);
  EXPECT_EQ(kernel["args"]["device"], 0);
  EXPECT_EQ(kernel["args"]["grid"], json::parse("[2, 1, 1]"));
  const json call = named(document, "cudaLaunchKernel");
  EXPECT_EQ(call["cat"], "cuda_runtime");
  EXPECT_EQ(call["tid"], op["tid"]) << "readers look for the operator around it there";
  EXPECT_EQ(call["args"]["correlation"], kernel["args"]["correlation"]);
  EXPECT_EQ(call["args"]["External id"], op["args"]["External id"]);
  EXPECT_EQ(kernel["args"]["External id"], op["args"]["External id"]);
  EXPECT_EQ(named(document, "ProfilerStep#0")["cat"], "user_annotation");
  EXPECT_EQ(named(document, "blocks.0")["cat"], "user_annotation");
  EXPECT_EQ(named(document, "Memset (Device)")["cat"], "gpu_memset");
}

TEST_F(TraceOfRun, ArrowsHaveTwoEnds) {
  std::map<std::string, std::string> ends;
  const json document = written();
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "s" || event["ph"] == "f")
      ends[event["cat"]] += event["ph"].get<std::string>();
  }
  for (auto& [category, phases] : ends) std::ranges::sort(phases);
  EXPECT_EQ(ends, (std::map<std::string, std::string>{{"ac2g", "fs"}, {"fwdbwd", "fs"}}));
}

TEST_F(TraceOfRun, OurOwnReaderReadsItBackEqual) {
  written();
  auto file = trace_file::read_trace(path_);
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_EQ(file->fault.sentence, "");
  const auto opened = open_trace(std::move(*file), 7);
  ASSERT_TRUE(opened) << opened.error().sentence;
  const base::StringTable& texts = *opened->about.strings;
  const auto before = stats::kernel_table(run_.trace, run_.launches, strings_);
  const auto after = stats::kernel_table(opened->run.trace, opened->run.launches, texts);
  ASSERT_EQ(after.rows.size(), before.rows.size());
  EXPECT_EQ(after.rows[0].total_ns, before.rows[0].total_ns);
  EXPECT_EQ(after.rows[0].op_flops, before.rows[0].op_flops);
  EXPECT_EQ(after.rows[0].launch.shared_memory, 512);
  EXPECT_EQ(texts.view(after.rows[0].name), "gemm<\"f\">");
  EXPECT_EQ(opened->run.memory.peak_bytes(), 4096);
  EXPECT_EQ(opened->run.memory.current_bytes(), 0);
  EXPECT_EQ(opened->summary.steps.size(), 1U);
  EXPECT_EQ(opened->summary.operators.size(), 2U);
}

TEST_F(TraceOfRun, AnEmptyRunIsADocumentToo) {
  const run::Run empty(run::StartedUpdate{});
  ASSERT_TRUE(trace_file::write_trace(path_, trace_of_run(empty, strings_)));
  EXPECT_TRUE(json::parse(io::testing::content_of(path_))["traceEvents"].empty());
}

}  // namespace
}  // namespace ts::files
