#include "kernels/cuda/cupti_reader.h"

#include <cupti.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/string_table.h"

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
