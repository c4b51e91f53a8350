#include "core/stats/trace_difference.h"

#include <gtest/gtest.h>

namespace ts::stats {
namespace {

// A trace of one step with operators one after the other, and a stream with kernels.
struct MadeTrace {
  base::StringTable strings;
  trace::TraceStore store;
  trace::KernelLaunches launches;
  memory::AllocationLog log;
  trace::TrackId thread, stream;
  std::int64_t at_ns = 0;

  // Other names first, so that equal names have different ids in two traces.
  explicit MadeTrace(int other_names) {
    for (int i = 0; i < other_names; ++i) strings.intern("other " + std::to_string(i));
    const auto phases = store.add_track({trace::TrackKind::phases, "", -1});
    trace::Slice step{.begin_ns = 0, .duration_ns = 1'000'000};
    step.name = strings.intern("step 0");
    step.slice_class = trace::SliceClass::step;
    store.append(phases, 0, step);
    thread = store.add_track({trace::TrackKind::cpu_thread, "main", -1});
    stream = store.add_track({trace::TrackKind::gpu_stream, "stream 7", 0});
  }
  void add(const char* op, const char* shape, const char* kernel, std::int64_t ns,
           const char* module = "blocks.0") {
    trace::Slice slice{.begin_ns = at_ns, .duration_ns = ns};
    slice.name = strings.intern(op);
    slice.detail = strings.intern(shape);
    slice.module = strings.intern(module);
    store.append(thread, 0, slice);
    slice.name = strings.intern(kernel);
    slice.detail = strings.intern("<<<1, 128>>>");
    trace::KernelLaunch launch;
    launch.op = strings.intern(op);
    launches[slice.detail] = launch;
    slice.duration_ns = 2 * ns;
    store.append(stream, 0, slice);
    at_ns += 3 * ns;
  }
  [[nodiscard]] TraceSide side() const { return {store, launches, log, strings}; }
};

TEST(TraceDifference, matches_by_name_and_says_what_is_new_and_gone) {
  MadeTrace a(0);
  a.add("aten::mm", "[2, 3] fp32", "gemm", 100);
  a.add("aten::mm", "[4, 3] fp32", "gemm", 50);
  a.add("aten::relu", "[2] fp32", "relu_kernel", 10);
  MadeTrace b(5);
  b.add("aten::mm", "[2, 3] fp32", "gemm_fast", 30);
  b.add("aten::mm", "[4, 3] fp32", "gemm", 60);
  b.add("aten::gelu", "[2] fp32", "gelu_kernel", 7);

  const auto ops = difference_of(a.side(), b.side(), DifferenceBy::op);
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_EQ(ops[0].name, "aten::mm");
  EXPECT_EQ(ops[0].difference_ns(), 90 - 150);
  EXPECT_EQ(ops[0].calls_a, 2);
  EXPECT_EQ(ops[0].change(), Change::faster);
  EXPECT_EQ(ops[1].name, "aten::relu");
  EXPECT_EQ(ops[1].change(), Change::gone);
  EXPECT_EQ(ops[2].change(), Change::added);

  const auto shapes = difference_of(a.side(), b.side(), DifferenceBy::op_and_shape);
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[0].shape, "[2, 3] fp32");
  EXPECT_EQ(shapes[0].difference_ns(), 30 - 100);
  EXPECT_EQ(shapes[1].difference_ns(), 10);

  const auto kernels = difference_of(a.side(), b.side(), DifferenceBy::kernel);
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(kernels[0].name, "gemm");
  EXPECT_EQ(kernels[0].difference_ns(), 2 * 60 - 2 * 150);
  EXPECT_EQ(kernels[1].name, "gemm_fast");
  EXPECT_EQ(kernels[1].change(), Change::added);

  const auto modules = difference_of(a.side(), b.side(), DifferenceBy::module);
  ASSERT_FALSE(modules.empty());
  EXPECT_EQ(modules[0].difference_ns(), 97 - 160);
}

TEST(TraceDifference, equal_shapes_in_other_modules_are_apart) {
  MadeTrace a(0);
  a.add("aten::mm", "[2, 3] fp32", "gemm", 100, "blocks.0");
  a.add("aten::mm", "[2, 3] fp32", "gemm", 40, "blocks.1");
  MadeTrace b(5);
  b.add("aten::mm", "[2, 3] fp32", "gemm", 150, "blocks.0");
  b.add("aten::mm", "[2, 3] fp32", "gemm", 40, "blocks.1");
  b.add("aten::mm", "[2, 3] fp32", "gemm", 10, "blocks.2");
  const auto rows = difference_of(a.side(), b.side(), DifferenceBy::op_and_shape);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].module, "blocks.0");
  EXPECT_EQ(rows[0].change(), Change::slower);
  EXPECT_EQ(rows[0].ratio(), 1.5);
  EXPECT_EQ(rows[1].module, "blocks.2");
  EXPECT_EQ(rows[1].change(), Change::added);
  EXPECT_EQ(rows[1].ratio(), std::nullopt);
  EXPECT_EQ(rows[2].change(), Change::same);
}

TEST(TraceDifference, of_a_trace_with_itself_is_nothing) {
  MadeTrace a(0);
  a.add("aten::mm", "[2, 3] fp32", "gemm", 100);
  for (const DifferenceRow& row : difference_of(a.side(), a.side(), DifferenceBy::op)) {
    EXPECT_EQ(row.difference_ns(), 0);
    EXPECT_EQ(row.calls_a, row.calls_b);
  }
}

}  // namespace
}  // namespace ts::stats
