#include "core/allocator/allocator_state.h"

#include <gtest/gtest.h>

#include <string>

#include "core/allocator/replay.h"
#include "core/memory/allocation_log.h"
#include "core/snapshot/snapshot_read.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/memory/records.h"

namespace ts::allocator {
namespace {

class AllocatorStateTest : public ::testing::Test {
 protected:
  void event(TraceAction action, std::uint64_t address, std::int64_t size, const char* op = "",
             const char* module = "") {
    AllocatorEvent one;
    one.time_ns = 1000 * ++time_;
    one.action = action;
    one.address = address;
    one.size = size;
    one.op = *op != 0 ? strings_.intern(op) : base::kNoString;
    one.module = *module != 0 ? strings_.intern(module) : base::kNoString;
    events_.push_back(one);
  }
  // One segment of 2 MiB with a block of 512 bytes in use.
  static AllocatorState state() {
    AllocatorState made;
    SnapshotSegment segment;
    segment.address = 0x200000;
    segment.total_size = 2 << 20;
    segment.allocated_size = segment.active_size = 512;
    segment.requested_size = 400;
    segment.small_pool = true;
    segment.blocks.push_back({0x200000, 512, 400, memory::kNone, BlockState::active_allocated});
    segment.blocks.push_back({0x200200, (2 << 20) - 512, 0, memory::kNone, BlockState::inactive});
    made.segments.push_back(segment);
    return made;
  }
  Snapshot snapshot() { return snapshot_of(events_, state(), strings_, 5'000'000); }

  base::StringTable strings_;
  std::vector<AllocatorEvent> events_;
  std::int64_t time_ = 0;
};

TEST_F(AllocatorStateTest, blocks_and_segments_have_the_stack_of_their_event) {
  event(TraceAction::segment_alloc, 0x200000, 2 << 20, "aten::empty", "blocks.0.attn");
  event(TraceAction::alloc, 0x200000, 400, "aten::mm", "blocks.0.attn");
  const Snapshot made = snapshot();
  const SnapshotSegment& segment = made.segments.at(0);
  ASSERT_NE(segment.stack, memory::kNone);
  ASSERT_NE(segment.blocks[0].stack, memory::kNone);
  const auto stack = made.stacks.stack(segment.blocks[0].stack);
  ASSERT_EQ(stack.size(), 4U) << "the operator, blocks.0.attn, blocks.0, blocks";
  EXPECT_EQ(made.text(made.stacks.frame(stack[0]).name), "aten::mm");
  EXPECT_EQ(made.text(made.stacks.frame(stack[1]).name), "blocks.0.attn");
  EXPECT_EQ(made.text(made.stacks.frame(stack[3]).name), "blocks");
  EXPECT_EQ(segment.blocks[1].stack, memory::kNone) << "it is free";
  EXPECT_EQ(made.device_traces.at(0)[0].time_us, 1 + 5000);
}

TEST_F(AllocatorStateTest, an_event_outside_every_operator_has_no_stack) {
  event(TraceAction::alloc, 0x200000, 400);
  EXPECT_EQ(snapshot().device_traces.at(0)[0].stack, memory::kNone);
}

// Written as PyTorch writes it, read again, and replayed: what the events say leads to the
// segments.
TEST_F(AllocatorStateTest, it_is_a_snapshot_like_others) {
  event(TraceAction::segment_alloc, 0x200000, 2 << 20, "aten::empty");
  event(TraceAction::alloc, 0x200000, 400, "aten::empty");
  event(TraceAction::alloc, 0x200200, 1000, "aten::mm");
  event(TraceAction::free_requested, 0x200200, 1000);
  event(TraceAction::free_completed, 0x200200, 1000);
  std::string bytes;
  snapshot::write_snapshot([&](std::string_view piece) { bytes += piece; }, snapshot(),
                           snapshot::SnapshotFormat::pickle);
  const auto read = snapshot::parse_snapshot(bytes);
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read->fault.sentence, "");
  EXPECT_EQ(read->snapshot.entry_count(), 5U);
  EXPECT_EQ(read->snapshot.segments.size(), 1U);
  EXPECT_TRUE(recorded_settings(read->snapshot));
}

TEST_F(AllocatorStateTest, devices_have_traces_of_their_own) {
  event(TraceAction::alloc, 0x1, 8);
  event(TraceAction::alloc, 0x2, 8);
  events_.back().device = 1;
  const Snapshot made = snapshot();
  ASSERT_EQ(made.device_traces.size(), 2U);
  EXPECT_EQ(made.device_traces[1].size(), 1U);
}

memory::Record segment(memory::Action action, std::int64_t time, std::int64_t size) {
  memory::Record record = memory::testing::mark(time, action);
  record.size = size;
  return record;
}

TEST(ReservedBytes, follow_segments_and_what_was_there_before) {
  memory::AllocationLog log;
  EXPECT_TRUE(log.reserved().empty());
  log.append(segment(memory::Action::snapshot, 10, 100));
  log.append(segment(memory::Action::segment_alloc, 20, 50));
  log.append(segment(memory::Action::segment_map, 30, 20));
  log.append(segment(memory::Action::segment_free, 40, 100));
  log.append(segment(memory::Action::segment_unmap, 35, 20));
  ASSERT_EQ(log.reserved().size(), 5U);
  EXPECT_EQ(log.reserved()[2].bytes, 170);
  EXPECT_EQ(log.reserved()[4].bytes, 50);
  EXPECT_EQ(log.reserved()[4].time_ns, 40) << "time does not run back";
  EXPECT_EQ(log.peak_reserved(), 170);
  EXPECT_TRUE(log.events().empty()) << "they are no events of tensors";
}

}  // namespace
}  // namespace ts::allocator
