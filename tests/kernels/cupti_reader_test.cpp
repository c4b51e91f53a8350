#include "kernels/cuda/cupti_reader.h"

#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/string_table.h"
#include "core/capture/gpu_timeline.h"
#include "core/io/unpack.h"
#include "kernels/cuda/cupti_replay.h"

namespace ts::kernels {
namespace {

using capture::GpuKind;
using capture::GpuRecord;

struct CuptiReaderTest : ::testing::Test {
  template <class Record>
  GpuRecord read(const Record& record) {
    GpuRecord out;
    EXPECT_TRUE(reader.read(&record, sizeof(record), out));
    return out;
  }
  std::string_view name(const GpuRecord& record) const { return strings.view(record.name); }

  base::StringTable strings;
  CuptiReader reader{[this](std::string_view text) { return strings.intern(text); },
                     [](bool driver, std::uint32_t function) -> const char* {
                       if (driver) return nullptr;
                       return function == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
                                  ? "cudaLaunchKernel_v7000"
                                  : nullptr;
                     }};
};

CUpti_ActivityKernel10 a_kernel() {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = 1000;
  kernel.end = 1500;
  kernel.deviceId = 1;
  kernel.streamId = 7;
  kernel.correlationId = 42;
  kernel.gridX = 12;
  kernel.gridY = 3;
  kernel.gridZ = 1;
  kernel.blockX = 256;
  kernel.blockY = 1;
  kernel.blockZ = 1;
  kernel.registersPerThread = 96;
  kernel.staticSharedMemory = 1024;
  kernel.dynamicSharedMemory = 2048;
  kernel.graphId = 5;
  kernel.graphNodeId = 9;
  kernel.name = "_ZN2at6native19reduce_kernel_thingIfEEvT_";
  return kernel;
}

// The sizes CUDA 13.0's headers give; another size means that another version is being built with
// and every reading here has to be looked at.
TEST(CuptiLayout, is_that_of_cuda_13_0) {
  EXPECT_EQ(sizeof(CUpti_ActivityKernel10), 216U);
  EXPECT_EQ(sizeof(CUpti_ActivityMemcpy6), 96U);
  EXPECT_EQ(sizeof(CUpti_ActivityMemcpyPtoP4), 96U);
  EXPECT_EQ(sizeof(CUpti_ActivityMemset4), 88U);
  EXPECT_EQ(sizeof(CUpti_ActivityAPI), 40U);
  EXPECT_EQ(sizeof(CUpti_ActivityExternalCorrelation), 24U);
  EXPECT_EQ(sizeof(CUpti_ActivityOverhead3), 56U);
  EXPECT_EQ(sizeof(CUpti_ActivitySynchronization2), 56U);
  EXPECT_EQ(sizeof(CUpti_ActivityMarker2), 56U);
}

TEST_F(CuptiReaderTest, a_kernel) {
  const GpuRecord out = read(a_kernel());
  EXPECT_EQ(out.kind, GpuKind::kernel);
  EXPECT_EQ(out.begin_ns, 1000);
  EXPECT_EQ(out.end_ns, 1500);
  EXPECT_EQ(out.device, 1U);
  EXPECT_EQ(out.stream, 7U);
  EXPECT_EQ(out.correlation, 42U);
  EXPECT_EQ(out.grid, (std::array<std::int32_t, 3>{12, 3, 1}));
  EXPECT_EQ(out.block, (std::array<std::int32_t, 3>{256, 1, 1}));
  EXPECT_EQ(out.registers, 96);
  EXPECT_EQ(out.shared_memory, 3072);
  EXPECT_EQ(out.graph, 5U);
  EXPECT_EQ(out.graph_node, 9U);
  EXPECT_EQ(name(out), "void at::native::reduce_kernel_thing<float>(float)");
}

TEST_F(CuptiReaderTest, names_that_are_not_mangled_stay_and_none_is_a_kernel) {
  CUpti_ActivityKernel10 kernel = a_kernel();
  kernel.name = "ampere_sgemm_128x64_tn";
  EXPECT_EQ(name(read(kernel)), "ampere_sgemm_128x64_tn");
  kernel.name = nullptr;
  EXPECT_EQ(name(read(kernel)), "kernel");
}

TEST_F(CuptiReaderTest, copies_and_fills) {
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.bytes = 4096;
  copy.start = 1;
  copy.end = 2;
  copy.streamId = 3;
  const GpuRecord copied = read(copy);
  EXPECT_EQ(copied.kind, GpuKind::copy);
  EXPECT_EQ(copied.bytes, 4096);
  EXPECT_EQ(copied.stream, 3U);
  EXPECT_EQ(name(copied), "memcpy host to device");

  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.bytes = 64;
  EXPECT_EQ(read(fill).kind, GpuKind::fill);
  EXPECT_EQ(read(fill).bytes, 64);
}

TEST_F(CuptiReaderTest, calls_have_the_names_of_their_functions) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
  call.threadId = 99;
  call.correlationId = 42;
  const GpuRecord out = read(call);
  EXPECT_EQ(out.kind, GpuKind::call);
  EXPECT_EQ(out.thread, 99U);
  EXPECT_EQ(name(out), "cudaLaunchKernel") << "without the version of its form";
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  call.cbid = 307;
  EXPECT_EQ(name(read(call)), "driver call 307");
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  EXPECT_EQ(name(read(call)), "runtime call 307");
}

TEST_F(CuptiReaderTest, waits_for_the_device_a_stream_and_an_event) {
  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  wait.start = 10;
  wait.end = 90;
  wait.correlationId = 7;
  wait.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  const GpuRecord out = read(wait);
  EXPECT_EQ(out.kind, GpuKind::wait);
  EXPECT_EQ(out.begin_ns, 10);
  EXPECT_EQ(out.end_ns, 90);
  EXPECT_EQ(out.correlation, 7U);
  EXPECT_EQ(out.stream, 0U);
  EXPECT_EQ(name(out), "waiting for the device");
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  wait.streamId = 7;
  EXPECT_EQ(name(read(wait)), "stream waits for an event");
  EXPECT_EQ(read(wait).stream, 7U);
}

TEST_F(CuptiReaderTest, nvtx_marks_have_ends_and_instants) {
  CUpti_ActivityMarker2 mark{};
  mark.kind = CUPTI_ACTIVITY_KIND_MARKER;
  mark.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
  mark.timestamp = 77;
  mark.id = 12;
  mark.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  mark.objectId.pt.threadId = 5;
  mark.name = "step";
  const GpuRecord begin = read(mark);
  EXPECT_EQ(begin.kind, GpuKind::mark_begin);
  EXPECT_EQ(begin.begin_ns, 77);
  EXPECT_EQ(begin.correlation, 12U);
  EXPECT_EQ(begin.thread, 5U);
  EXPECT_EQ(name(begin), "step");
  mark.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
  mark.name = nullptr;
  EXPECT_EQ(read(mark).kind, GpuKind::mark_end);
  EXPECT_EQ(read(mark).name, base::kNoString);
  mark.flags = CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS;
  EXPECT_EQ(read(mark).kind, GpuKind::mark);
}

TEST_F(CuptiReaderTest, overheads_say_what_they_are) {
  CUpti_ActivityOverhead3 cost{};
  cost.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  cost.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  cost.start = 3;
  cost.end = 4;
  EXPECT_EQ(read(cost).kind, GpuKind::overhead);
  EXPECT_EQ(name(read(cost)), "loading a kernel");
}

TEST_F(CuptiReaderTest, a_device_without_room_for_times_gives_zeroes) {
  CUpti_ActivityKernel10 kernel = a_kernel();
  kernel.start = kernel.end = 0;
  EXPECT_EQ(read(kernel).begin_ns, 0);
  EXPECT_EQ(read(kernel).end_ns, 0);
}

TEST_F(CuptiReaderTest, calls_that_would_only_hide_others_are_left_out) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020;
  GpuRecord out;
  EXPECT_FALSE(reader.read(&call, sizeof(call), out));
  EXPECT_EQ(reader.unknown(), 0U);
}

TEST_F(CuptiReaderTest, a_correlation_carries_operator_and_module) {
  const base::StringId op = strings.intern("aten::bmm");
  const base::StringId module = strings.intern("blocks.1.attn");
  CUpti_ActivityExternalCorrelation link{};
  link.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  link.correlationId = 42;
  link.externalId = capture::correlation_id(op, module);
  const GpuRecord out = read(link);
  EXPECT_EQ(out.kind, GpuKind::correlation);
  EXPECT_EQ(out.correlation, 42U);
  EXPECT_EQ(out.op, op);
  EXPECT_EQ(out.module, module);
}

TEST_F(CuptiReaderTest, records_cut_short_and_kinds_not_known_are_counted) {
  const CUpti_ActivityKernel10 kernel = a_kernel();
  std::vector<std::uint64_t> bytes(sizeof(kernel) / 8);
  std::memcpy(bytes.data(), &kernel, sizeof(kernel));
  GpuRecord out;
  for (std::size_t size = 0; size < sizeof(kernel); size += 8) {
    EXPECT_FALSE(reader.read(bytes.data(), size, out)) << size;
  }
  EXPECT_EQ(reader.truncated(), sizeof(kernel) / 8);
  CUpti_Activity other{};
  other.kind = CUPTI_ACTIVITY_KIND_PREEMPTION;
  EXPECT_FALSE(reader.read(&other, sizeof(other), out));
  EXPECT_EQ(reader.unknown(), 1U);
}

// Every kind, cut short by eight bytes, is counted and gives nothing.
TEST_F(CuptiReaderTest, every_kind_is_checked_for_its_length) {
  const std::pair<CUpti_ActivityKind, std::size_t> kinds[] = {
      {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10)},
      {CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6)},
      {CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4)},
      {CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4)},
      {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI)},
      {CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI)},
      {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation)},
      {CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead3)},
      {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization2)},
      {CUPTI_ACTIVITY_KIND_MARKER, sizeof(CUpti_ActivityMarker2)},
  };
  std::uint64_t cut = 0;
  for (const auto& [kind, size] : kinds) {
    std::vector<std::uint64_t> words(size / 8);
    std::memcpy(words.data(), &kind, sizeof(kind));
    GpuRecord out;
    EXPECT_FALSE(reader.read(words.data(), size - 8, out)) << kind;
    EXPECT_EQ(reader.truncated(), ++cut) << kind;
    EXPECT_TRUE(reader.read(words.data(), size, out)) << kind;
  }
  EXPECT_EQ(reader.unknown(), 0U);
}

// Buffers kept in a file become the timeline that they would have become live, though the texts
// that their records point to are elsewhere now.
TEST(CuptiReplay, a_file_becomes_a_timeline) {
  capture::GpuBufferFile file;
  {
    std::string mangled = "_ZN2at6native19reduce_kernel_thingIfEEvT_";
    CUpti_ActivityKernel10 kernel = a_kernel();
    kernel.name = mangled.c_str();
    file.begin_buffer();
    file.add_record(&kernel, sizeof(kernel));
    file.add_text(mangled.c_str());
    CUpti_ActivityMarker2 nowhere{};
    nowhere.kind = CUPTI_ACTIVITY_KIND_MARKER;
    nowhere.name = reinterpret_cast<const char*>(8);
    nowhere.timestamp = 5;
    file.add_record(&nowhere, sizeof(nowhere));
    CUpti_ActivityPreemption strange{};
    strange.kind = CUPTI_ACTIVITY_KIND_PREEMPTION;
    file.add_record(&strange, sizeof(strange));
    file.add_record(&kernel, 16);
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    call.start = 900;
    call.end = 950;
    call.correlationId = 42;
    file.begin_buffer();
    file.add_record(&call, sizeof(call));
  }
  const auto again = capture::GpuBufferFile::parse(file.bytes());
  ASSERT_TRUE(again) << again.error().sentence;

  base::StringTable strings;
  std::vector<trace::Track> tracks;
  capture::GpuTimeline timeline(strings, [&](trace::Track track) {
    tracks.push_back(std::move(track));
    return static_cast<trace::TrackId>(tracks.size() - 1);
  });
  const ReplayLosses losses = replay(
      *again, [&](std::string_view text) { return strings.intern(text); }, nullptr,
      [&](const GpuRecord& record) { timeline.take(record); });
  EXPECT_EQ(losses.unknown, 1U);
  EXPECT_EQ(losses.truncated, 1U);
  capture::Batch batch;
  timeline.hand_over(true, batch);
  ASSERT_EQ(batch.slices.size(), 3U);
  bool kernel_seen = false;
  for (const capture::Batch::Row& row : batch.slices) {
    if (tracks[row.track].kind != trace::TrackKind::gpu_stream) continue;
    kernel_seen = true;
    EXPECT_EQ(tracks[row.track].name, "GPU 1 stream 7");
    EXPECT_EQ(strings.view(row.slice.name), "void at::native::reduce_kernel_thing<float>(float)");
    EXPECT_EQ(row.slice.flow, capture::flow_of_launch(42));
  }
  EXPECT_TRUE(kernel_seen);
}

// CUPTI's records of two steps of a small language model on an H200, with 13.0 (tests/gpu/run):
// every kernel has its launch, begins after it, and ends before the next one of its stream begins.
TEST(CuptiReplay, the_records_of_an_h200_become_a_timeline) {
  const auto unpacked = io::read_unpacked(TENSORSCOPE_H200_BUFFERS);
  ASSERT_TRUE(unpacked) << unpacked.error().sentence;
  const auto file = capture::GpuBufferFile::parse(unpacked->content);
  ASSERT_TRUE(file) << file.error().sentence;
  base::StringTable strings;
  std::map<std::uint32_t, GpuRecord> launches;
  std::vector<GpuRecord> kernels;
  const ReplayLosses losses = replay(
      *file, [&](std::string_view text) { return strings.intern(text); }, nullptr,
      [&](const GpuRecord& record) {
        if (record.kind == GpuKind::kernel) kernels.push_back(record);
        if (record.kind == GpuKind::call) launches[record.correlation] = record;
      });
  EXPECT_EQ(losses.unknown, 0U);
  EXPECT_EQ(losses.truncated, 0U);
  std::ranges::sort(kernels, {}, &GpuRecord::begin_ns);
  std::map<std::uint32_t, std::int64_t> ends;  // by stream
  std::size_t products = 0;
  for (const GpuRecord& kernel : kernels) {
    const auto launch = launches.find(kernel.correlation);
    ASSERT_NE(launch, launches.end()) << strings.view(kernel.name);
    EXPECT_GT(kernel.begin_ns, launch->second.begin_ns);
    EXPECT_LT(kernel.begin_ns, kernel.end_ns);
    std::int64_t& end = ends[kernel.stream];
    EXPECT_GE(kernel.begin_ns, end);
    end = kernel.end_ns;
    if (strings.view(kernel.name).find("gemm") != std::string_view::npos) ++products;
  }
  EXPECT_EQ(kernels.size(), 770U);
  // Nine products a layer and the head's, each with two in the backward, in both steps.
  EXPECT_EQ(products, std::size_t{2} * 3 * (2 * 9 + 1));
}

// CUPTI itself walks a buffer of records of several kinds as we lay them out here; it needs no
// driver for that.
TEST(CuptiWalk, finds_the_records_of_a_buffer) {
  std::vector<std::uint64_t> buffer(64);
  auto* const start = reinterpret_cast<std::uint8_t*>(buffer.data());
  std::size_t used = 0;
  const auto add = [&](const auto& record) {
    std::memcpy(start + used, &record, sizeof(record));
    used += sizeof(record);
  };
  CUpti_ActivityExternalCorrelation link{};
  link.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  add(link);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  add(call);
  add(a_kernel());
  std::vector<std::size_t> places;
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(start, used, &record) == CUPTI_SUCCESS) {
    places.push_back(
        static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(record) - start));
  }
  EXPECT_EQ(places, (std::vector<std::size_t>{0, sizeof(link), sizeof(link) + sizeof(call)}));
}

}  // namespace
}  // namespace ts::kernels
