#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "core/allocator/snapshot.h"
#include "kernels/engine/step_graph.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

// The tests of the CPU, once more on a GPU; skipped with the reason where there is none.
struct OnCuda : testing::TestWithParam<spec::WorkloadSpec> {
  void SetUp() override {
    for (const run::DeviceInfo& device : engine().info().devices) {
      if (device.kind != spec::DeviceKind::cuda) continue;
      if (device.unavailable.empty()) return;
      GTEST_SKIP() << device.unavailable.sentence;
    }
  }
  spec::WorkloadSpec spec = [] {
    spec::WorkloadSpec made = GetParam();
    made.device = spec::DeviceKind::cuda;
    return made;
  }();
};

TEST_P(OnCuda, LogEqualsAllocator) {
  Recorded recorded;
  auto prepared = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  const std::unique_ptr<run::Execution> execution = std::move(*prepared);
  for (int i = 0; i < 3; ++i) {
    const auto times = execution->step(&recorded.recorder, i);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_TRUE(std::isfinite(times->loss));
  }
  recorded.drain(Recorded::Order::of_time);
  EXPECT_EQ(recorded.memory.unmatched_owners(), 0U);
  EXPECT_EQ(recorded.memory.current_bytes(), execution->memory().allocated);
  EXPECT_EQ(recorded.memory.peak_bytes(), execution->memory().peak);
}

TEST_P(OnCuda, SmallLimitIsOutOfMemory) {
  // Less than the caching allocator takes from the device at once.
  auto execution = engine().prepare(spec, std::int64_t{1} << 20, nullptr, {});
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().verdict, run::Verdict::oom);
  EXPECT_GT(execution.error().bytes_asked, 0);
}

// Tests of steps that need more than a spec, with the same skipping.
struct CudaRun : testing::Test {
  void SetUp() override {
    if (engine().cuda().api() == nullptr) GTEST_SKIP() << engine().cuda().unavailable().sentence;
    spec.device = spec::DeviceKind::cuda;
  }
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::full_step);
};

// The buffers of a few steps as CUPTI wrote them, to be replayed where there is no GPU: in a file
// of that name in the folder that is asked for.
void keep_buffers(const spec::WorkloadSpec& spec, const char* name) {
  capture::GpuCapture* const capture = engine().cuda().capture();
  Recorded recorded;
  capture::GpuBufferFile file;
  // An assertion leaves this function, and the file with it.
  const struct Kept {
    capture::GpuCapture* capture;
    ~Kept() { capture->keep(nullptr); }
  } kept{capture};
  capture->keep(&file);
  auto prepared = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE((*prepared)->step(&recorded.recorder, i));
  ASSERT_GT(file.buffer_count(), 0U);
  const std::string bytes = file.bytes();
  ASSERT_TRUE(capture::GpuBufferFile::parse(bytes));
  if (const char* const folder = std::getenv("TENSORSCOPE_GPU_BUFFERS")) {
    std::ofstream(std::string(folder) + "/" + name, std::ios::binary) << bytes;
  }
}

TEST_F(CudaRun, BuffersAreKept) {
  if (!engine().cuda().not_recorded().empty())
    GTEST_SKIP() << engine().cuda().not_recorded().sentence;
  keep_buffers(spec, "buffers.tsgpu");
}

TEST_F(CudaRun, BuffersOfAGraphAreKept) {
  if (!engine().cuda().not_recorded().empty())
    GTEST_SKIP() << engine().cuda().not_recorded().sentence;
  spec.cuda_graph = true;
  keep_buffers(spec, "graph.tsgpu");
}

// A hundred refusals leave nothing behind, and the next run starts clean.
TEST_F(CudaRun, OutOfMemoryLeavesNothingBehind) {
  std::int64_t reserved = -1;
  for (int cycle = 0; cycle < 100; ++cycle) {
    const auto refused = engine().prepare(spec, std::int64_t{1} << 20, nullptr, {});
    ASSERT_FALSE(refused);
    ASSERT_EQ(refused.error().verdict, run::Verdict::oom) << refused.error().sentence;
    CudaMemory memory{};
    ASSERT_EQ(engine().cuda().api()->memory(0, &memory), nullptr);
    // The first cycle makes workspaces that stay.
    if (cycle == 0) reserved = memory.reserved;
    ASSERT_LE(memory.reserved, reserved) << cycle;
  }
  auto prepared = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  EXPECT_TRUE((*prepared)->step(nullptr, 0));
}

// The allocator's events agree with its numbers at the end.
TEST_F(CudaRun, SnapshotAgreesWithItsEvents) {
  Recorded recorded;
  auto prepared = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE((*prepared)->step(&recorded.recorder, i));
  const auto snapshot = (*prepared)->allocator_snapshot();
  ASSERT_NE(snapshot, nullptr);
  recorded.drain(Recorded::Order::of_time);
  std::int64_t total = 0;
  for (const allocator::SnapshotSegment& segment : snapshot->segments) total += segment.total_size;
  ASSERT_FALSE(recorded.memory.reserved().empty());
  EXPECT_EQ(recorded.memory.reserved().back().bytes, total);
  EXPECT_EQ((*prepared)->memory().reserved, total);
}

// Part of the forward runs again in the backward, on another thread with numbers of its own: every
// operator still has its module.
TEST_F(CudaRun, WhatRunsAgainHasItsModules) {
  spec.checkpoint = spec::Checkpoint::blocks;
  Recorded recorded;
  auto prepared = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  ASSERT_TRUE((*prepared)->step(&recorded.recorder, 0));
  recorded.drain(Recorded::Order::of_time);
  for (const capture::RawRecord& op : recorded.of_kind(capture::RawKind::op)) {
    if (op.phase != base::Phase::backward) continue;
    const std::string name = recorded.text(op.name);
    if (name != "aten::mm" && name != "aten::bmm") continue;
    EXPECT_NE(op.module, base::kNoString) << name;
  }
}

struct Kernels {
  std::map<std::string, int> calls;  // by name, of one step
  bool of_a_graph = false;           // all of them
};

// The kernels of the last of a few recorded steps. An eager step fills in the number of the step
// where a captured one adds to it: both count as one.
Kernels kernels_of_a_step(run::Execution& execution, Recorded& recorded) {
  Kernels found;
  std::vector<capture::GpuRecord> records;
  for (int i = 0; i < 3; ++i) {
    recorded.recorder.gpu().take(records);
    EXPECT_TRUE(execution.step(&recorded.recorder, i));
  }
  recorded.recorder.gpu().take(records);
  found.of_a_graph = true;
  for (const capture::GpuRecord& record : records) {
    if (record.kind != capture::GpuKind::kernel) continue;
    const std::string name = recorded.text(record.name);
    const bool counts = name.find("FillFunctor<float>") != std::string::npos ||
                        name.find("CUDAFunctorOnSelf_add<float>") != std::string::npos;
    ++found.calls[counts ? "fill or add a number" : name];
    found.of_a_graph = found.of_a_graph && record.graph != 0 && record.graph_node != 0;
  }
  return found;
}

// A replayed step runs the kernels of an eager one, each with its node, comes to the same losses,
// and its memory lies in a pool of its own.
TEST_F(CudaRun, AReplayedStepIsTheEagerOne) {
  // Workspaces of libraries are made at a stream's first product, and stay.
  const auto make_workspaces = [&] {
    const auto first = engine().prepare(spec, kPlenty, nullptr, {});
    ASSERT_TRUE(first) << first.error().sentence;
    ASSERT_TRUE((*first)->step(nullptr, 0));
  };
  make_workspaces();
  const bool recorded_here = engine().cuda().not_recorded().empty();
  Recorded eager_recorded;
  auto eager = engine().prepare(spec, kPlenty, &eager_recorded.recorder, {});
  ASSERT_TRUE(eager) << eager.error().sentence;
  const Kernels eager_kernels = kernels_of_a_step(**eager, eager_recorded);
  // Set-up of the other trains with as many warm-ups; a capture runs nothing.
  static_assert(StepGraph::kWarmUps == 3);
  const auto eager_times = (*eager)->step(nullptr, 3);
  ASSERT_TRUE(eager_times);
  const auto eager_memory = (*eager)->memory();
  eager->reset();

  spec.cuda_graph = true;
  make_workspaces();
  Recorded recorded;
  auto replayed = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(replayed) << replayed.error().sentence;
  const auto times = (*replayed)->step(nullptr, 0);
  ASSERT_TRUE(times) << times.error().sentence;
  EXPECT_NEAR(times->loss, eager_times->loss, 1e-5 * eager_times->loss);
  // A capture gives the generator's seed and offset a block each.
  EXPECT_EQ((*replayed)->memory().peak, eager_memory.peak + 2 * 512);
  if (recorded_here) {
    const Kernels kernels = kernels_of_a_step(**replayed, recorded);
    EXPECT_EQ(kernels.calls, eager_kernels.calls);
    EXPECT_TRUE(kernels.of_a_graph);
  }
  const auto snapshot = (*replayed)->allocator_snapshot();
  ASSERT_NE(snapshot, nullptr);
  EXPECT_TRUE(
      std::ranges::any_of(snapshot->segments, [](const allocator::SnapshotSegment& segment) {
        return segment.pool != allocator::PoolId{};
      }));
}

TEST_F(CudaRun, OutOfMemoryInACaptureIsAVerdictAndTheNextRunIsClean) {
  spec.cuda_graph = true;
  auto prepared = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  const std::int64_t peak = (*prepared)->memory().peak;
  prepared->reset();
  const auto refused = engine().prepare(spec, peak / 2, nullptr, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().verdict, run::Verdict::oom) << refused.error().sentence;
  prepared = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  EXPECT_TRUE((*prepared)->step(nullptr, 0));
}

INSTANTIATE_TEST_SUITE_P(All, OnCuda, testing::ValuesIn(every_small_spec()), spec_name);

}  // namespace
}  // namespace ts::kernels
