#include <gtest/gtest.h>

#include <set>

#include <ATen/record_function.h>
#include "kernels/observe/recording.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using capture::RawKind;
using capture::RawRecord;

struct RecordedAttention : testing::Test {
  void run(const spec::WorkloadSpec& spec, int steps = 1) {
    auto prepared = engine().prepare_execution(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(prepared) << prepared.error().sentence;
    execution = std::move(*prepared);
    for (int i = 0; i < steps; ++i) {
      const auto times = execution->step(&recorded.recorder, i);
      ASSERT_TRUE(times) << times.error().sentence;
    }
    recorded.drain();
  }
  Recorded recorded;
  std::unique_ptr<TorchExecution> execution;
};

TEST_F(RecordedAttention, OperatorsNestOnTheWorkerTrack) {
  run(small_attention());
  EXPECT_TRUE(recorded.has_op("aten::matmul"));
  EXPECT_TRUE(recorded.has_op("aten::bmm"));
  EXPECT_TRUE(recorded.has_op("aten::softmax"));
  EXPECT_TRUE(recorded.has_op("SoftmaxBackward0"));
  EXPECT_EQ(recorded.recorder.dropped(), 0U);

  // Written at their ends: a record encloses exactly those before it that are deeper and began in
  // it.
  std::vector<RawRecord> open;
  for (const RawRecord& record : recorded.records.at("worker")) {
    if (record.kind == RawKind::memory) continue;
    EXPECT_LE(record.begin_ns, record.end_ns);
    while (!open.empty() && open.back().depth > record.depth) {
      if (open.back().depth == record.depth + 1) {
        EXPECT_GE(open.back().begin_ns, record.begin_ns);
        EXPECT_LE(open.back().end_ns, record.end_ns);
      }
      open.pop_back();
    }
    if (!open.empty() && open.back().depth == record.depth) {
      EXPECT_LE(open.back().end_ns, record.begin_ns);
      open.pop_back();
    }
    open.push_back(record);
  }
  for (const RawRecord& record : open) EXPECT_EQ(record.depth, 0);
}

TEST_F(RecordedAttention, BackwardFindsModuleAndForwardBySequence) {
  run(small_attention());
  std::set<std::int64_t> forward;
  int nodes = 0;
  for (const RawRecord& record : recorded.of_kind(RawKind::op)) {
    const std::string name = recorded.text(record.name);
    if (!record.backward && record.phase == base::Phase::forward) {
      forward.insert(record.sequence);
      EXPECT_EQ(recorded.text(record.module), "attention") << name;
    }
    if (name == "BmmBackward0") {
      ++nodes;
      EXPECT_TRUE(record.backward);
      EXPECT_EQ(record.phase, base::Phase::backward);
      EXPECT_TRUE(forward.contains(record.sequence));
      EXPECT_EQ(recorded.text(record.module), "attention");
    }
    EXPECT_EQ(name.find("evaluate_function"), std::string::npos);
  }
  EXPECT_EQ(nodes, 2);
}

TEST_F(RecordedAttention, ShapesAreThoseOfTheInputs) {
  run(small_attention());
  for (const RawRecord& record : recorded.of_kind(RawKind::op)) {
    if (recorded.text(record.name) != "aten::softmax") continue;
    ASSERT_EQ(record.shapes.tensors, 1);
    EXPECT_EQ(record.shapes.rank[0], 4);
    EXPECT_EQ(record.shapes.dtype[0], static_cast<std::uint8_t>(capture::DType::fp32));
    EXPECT_EQ(record.shapes.dims[0], 2);
    EXPECT_EQ(record.shapes.dims[1], 3);
    EXPECT_EQ(record.shapes.dims[2], 64);
    EXPECT_EQ(record.shapes.dims[3], 64);
    return;
  }
  FAIL() << "no softmax";
}

TEST_F(RecordedAttention, PhasesAndStepsAreOnTheirTrack) {
  run(small_attention(), 2);
  std::vector<std::string> names;
  for (const RawRecord& record : recorded.records.at("phases")) {
    names.push_back(std::to_string(record.depth) + " " + recorded.text(record.name));
  }
  const std::vector<std::string> expected = {"0 setup",    "1 forward",  "1 loss",
                                             "1 backward", "0 step 0",   "1 forward",
                                             "1 loss",     "1 backward", "0 step 1"};
  EXPECT_EQ(names, expected);
}

TEST_F(RecordedAttention, LogEqualsAllocator) {
  run(small_attention(), 3);
  const run::MemoryCounters counters = execution->memory();
  EXPECT_EQ(recorded.memory.current_bytes(), counters.allocated);
  EXPECT_EQ(recorded.memory.peak_bytes(), counters.peak);
  EXPECT_EQ(recorded.memory.unmatched_frees(), 0U);
  EXPECT_GT(counters.peak, counters.allocated);
}

// Records that found their ring full change what the log holds, not what the allocator counts.
TEST(Recording, TheAllocatorsPeakIsRightWhereRecordsWereLost) {
  const auto peaks = [](std::size_t ring_records) {
    Recorded recorded(ring_records);
    auto execution = engine().prepare(small_attention(), kPlenty, &recorded.recorder, {});
    EXPECT_TRUE((*execution)->step(&recorded.recorder, 0));
    recorded.drain();
    EXPECT_EQ(recorded.recorder.dropped() > 0, ring_records < 1000);
    return std::pair{recorded.memory.peak_bytes(), (*execution)->memory().peak};
  };
  const auto [whole_log, whole] = peaks(std::size_t{1} << 16);
  const auto [lossy_log, lossy] = peaks(16);
  EXPECT_EQ(whole_log, whole);
  EXPECT_EQ(lossy, whole);
  EXPECT_NE(lossy_log, whole);
}

TEST_F(RecordedAttention, NothingIsHookedWithoutARecorder) {
  run(small_attention());
  const std::size_t before = recorded.records.at("worker").size();
  ASSERT_TRUE(execution->step(nullptr, 1));
  EXPECT_EQ(Recording::active(), nullptr);
  EXPECT_FALSE(at::hasCallbacks());
  recorded.drain();
  EXPECT_EQ(recorded.records.at("worker").size(), before);
}

}  // namespace
}  // namespace ts::kernels
