#include "core/stats/kernel_table.h"

#include <gtest/gtest.h>

#include "core/stats/operator_flops.h"

namespace ts::stats {
namespace {

using trace::IdleCause;
using trace::SliceClass;

TEST(InputBytes, by_shapes_and_types) {
  EXPECT_EQ(input_bytes("[3, 4] fp32, [4, 5] bf16"), 3 * 4 * 4 + 4 * 5 * 2);
  EXPECT_EQ(input_bytes("[7] int64, [] fp32, [2, 2] bool"), 56 + 4 + 4);
  EXPECT_EQ(input_bytes("[3] other"), 0);
  EXPECT_EQ(input_bytes(""), 0);
}

// Two steps, 0 to 1000 and 2000 to 3000; one operator launches two kernels, another one.
class KernelTableTest : public testing::Test {
 protected:
  KernelTableTest() {
    phases_ = add({trace::TrackKind::phases, "phases"});
    worker_ = add({trace::TrackKind::cpu_thread, "worker"});
    calls_ = add({trace::TrackKind::cuda_api, "thread 1"});
    stream_ = add({trace::TrackKind::gpu_stream, "GPU 0 stream 7", 0});
    second_ = add({trace::TrackKind::gpu_stream, "GPU 0 stream 13", 0});
    idle_ = add({trace::TrackKind::gpu_idle, "GPU 0 idle", 0});
    slice(phases_, 0, 1000, "", SliceClass::step);
    slice(phases_, 2000, 1000, "", SliceClass::step);
  }
  trace::TrackId add(trace::Track track) { return store_.add_track(std::move(track)); }
  void slice(trace::TrackId track, std::int64_t begin, std::int64_t duration, const char* name,
             SliceClass kind = SliceClass::other, const char* detail = "", std::uint32_t flow = 0) {
    trace::Slice one;
    one.begin_ns = begin;
    one.duration_ns = duration;
    one.name = strings_.intern(name);
    one.detail = strings_.intern(detail);
    one.slice_class = kind;
    one.flow = flow;
    ASSERT_TRUE(store_.append(track, 0, one));
  }
  void launch(const char* detail, const char* op, std::int32_t registers) {
    trace::KernelLaunch made;
    made.op = strings_.intern(op);
    made.block = {128, 1, 1};
    made.registers = registers;
    launches_[strings_.intern(detail)] = made;
  }
  KernelTable table() const { return kernel_table(store_, launches_, strings_); }
  const KernelRow& row(const KernelTable& table, std::string_view name) const {
    for (const KernelRow& one : table.rows) {
      if (strings_.view(one.name) == name) return one;
    }
    ADD_FAILURE() << "no " << name;
    return table.rows.front();
  }

  base::StringTable strings_;
  trace::TraceStore store_;
  trace::KernelLaunches launches_;
  trace::TrackId phases_ = 0, worker_ = 0, calls_ = 0, stream_ = 0, second_ = 0, idle_ = 0;
};

constexpr std::uint32_t kLaunch = 0x8000'0000U;

TEST_F(KernelTableTest, rows_devices_idle_time_and_queue) {
  const char* const gemm = "ampere_bf16_s16816gemm_bf16_128x128";
  launch("mm", "aten::mm", 128);
  launch("other mm", "aten::mm", 64);
  launch("add", "aten::add", 16);
  slice(worker_, 100, 100, "aten::mm", SliceClass::matmul, "[3, 4] fp32, [4, 5] fp32");
  slice(worker_, 300, 50, "aten::add", SliceClass::elementwise, "[3, 5] fp32, [3, 5] fp32");
  slice(worker_, 2100, 100, "aten::mm", SliceClass::matmul, "[3, 4] fp32, [4, 5] fp32");
  slice(calls_, 110, 10, "cudaLaunchKernel", SliceClass::other, "", kLaunch | 1);
  slice(calls_, 130, 10, "cudaLaunchKernel", SliceClass::other, "", kLaunch | 2);
  slice(calls_, 310, 10, "cudaLaunchKernel", SliceClass::other, "", kLaunch | 3);
  slice(calls_, 2110, 10, "cudaLaunchKernel", SliceClass::other, "", kLaunch | 4);
  slice(stream_, 200, 100, gemm, SliceClass::matmul, "mm", kLaunch | 1);
  slice(stream_, 300, 20, gemm, SliceClass::matmul, "mm", kLaunch | 2);
  slice(stream_, 2200, 60, gemm, SliceClass::matmul, "other mm", kLaunch | 4);
  slice(second_, 310, 40, "add_kernel", SliceClass::elementwise, "add", kLaunch | 3);
  slice(second_, 400, 50, "memset", SliceClass::copy, "64 B");
  slice(second_, 470, 10, "add_kernel", SliceClass::elementwise, "add");
  slice(second_, 1500, 50, "between_steps", SliceClass::other, "add");
  slice(idle_, 350, 50, to_string(IdleCause::launch));
  slice(idle_, 450, 20, to_string(IdleCause::synchronisation));
  slice(idle_, 480, 1720, to_string(IdleCause::launch));

  const KernelTable found = table();
  EXPECT_EQ(found.steps, 2);
  ASSERT_EQ(found.rows.size(), 2U) << "neither the memset nor what lies between steps";
  EXPECT_EQ(found.kernel_ns, 230);
  const KernelRow& mm = row(found, gemm);
  EXPECT_EQ(&mm, &found.rows.front());
  EXPECT_EQ(mm.calls, 3);
  EXPECT_EQ(mm.total_ns, 180);
  EXPECT_DOUBLE_EQ(mm.share, 180.0 / 230);
  EXPECT_EQ(mm.average_ns, 60);
  EXPECT_EQ(mm.p50_ns, 60);
  EXPECT_EQ(mm.tensor_cores, trace::TensorCores::yes);
  EXPECT_EQ(mm.slice_class, SliceClass::matmul);
  EXPECT_EQ(mm.launches, 2);
  EXPECT_EQ(mm.launch.registers, 128) << "the most frequent";
  EXPECT_EQ(mm.op_flops, 2 * 2 * 3 * 4 * 5) << "two calls, one of which launched two kernels";
  EXPECT_EQ(mm.op_input_bytes, 2 * (12 + 20) * 4);
  const KernelRow& sum = row(found, "add_kernel");
  EXPECT_EQ(sum.tensor_cores, trace::TensorCores::unknown);
  EXPECT_EQ(sum.op_flops, 0);
  EXPECT_EQ(sum.op_input_bytes, 120);

  const KernelTable part = kernel_table(store_, launches_, strings_, base::TimeRange{300, 2200});
  ASSERT_EQ(part.rows.size(), 2U) << "what begins in the range and in a step";
  EXPECT_EQ(row(part, "add_kernel").calls, 2);
  EXPECT_EQ(row(part, gemm).calls, 1);
  EXPECT_EQ(part.kernel_ns, 70);

  ASSERT_EQ(found.devices.size(), 1U);
  const DeviceUse& use = found.devices.front();
  EXPECT_EQ(use.kernels, 5);
  EXPECT_EQ(use.span_ns, (480 - 200) + (2260 - 2200));
  EXPECT_EQ(use.busy_ns, 150 + 50 + 10 + 60) << "10 ns of two at once count once, the memset does";
  EXPECT_EQ(use.kernel_ns, 230);
  EXPECT_EQ(use.copy_ns, 50);
  EXPECT_EQ(use.tensor_core_ns, 180);
  EXPECT_EQ(use.idle_ns[static_cast<std::size_t>(IdleCause::launch)], 50)
      << "what lies between two steps is of none";
  EXPECT_EQ(use.idle_ns[static_cast<std::size_t>(IdleCause::synchronisation)], 20);
  EXPECT_EQ(use.busy_ns + 50 + 20, use.span_ns);
  // Made at 120, 140, 320 and 2120, begun at 200, 300, 310 and 2200: the third had begun before its
  // call ended.
  EXPECT_DOUBLE_EQ(use.queue_mean, (80.0 + 160 + 80) / 340);
  EXPECT_EQ(use.queue_most, 2);
}

TEST_F(KernelTableTest, the_innermost_operator_of_a_name_has_the_shapes) {
  launch("mm", "aten::mm", 128);
  slice(worker_, 100, 100, "aten::matmul", SliceClass::matmul, "[9, 9] fp32, [9, 9] fp32");
  trace::Slice inner;
  inner.begin_ns = 120;
  inner.duration_ns = 50;
  inner.name = strings_.intern("aten::mm");
  inner.detail = strings_.intern("[3, 4] fp32, [4, 5] fp32");
  ASSERT_TRUE(store_.append(worker_, 1, inner));
  slice(calls_, 130, 10, "cudaLaunchKernel", SliceClass::other, "", kLaunch | 1);
  slice(stream_, 200, 100, "gemm", SliceClass::matmul, "mm", kLaunch | 1);
  EXPECT_EQ(table().rows.front().op_flops, 2 * 3 * 4 * 5);
}

TEST_F(KernelTableTest, without_a_gpu_there_is_nothing) {
  const KernelTable found = table();
  EXPECT_TRUE(found.rows.empty());
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.steps, 2);
}

TEST_F(KernelTableTest, devices_are_apart) {
  launch("mm", "aten::mm", 128);
  const trace::TrackId other = add({trace::TrackKind::gpu_stream, "GPU 1 stream 7", 1});
  slice(stream_, 200, 100, "gemm", SliceClass::matmul, "mm");
  slice(other, 250, 30, "gemm", SliceClass::matmul, "mm");
  const KernelTable found = table();
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[1].device, 1);
  EXPECT_EQ(found.devices[1].kernel_ns, 30);
  EXPECT_EQ(found.rows.front().calls, 2) << "a row is of all devices";
}

}  // namespace
}  // namespace ts::stats
