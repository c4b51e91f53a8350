#include "core/blocks/block_facts.h"

#include <gtest/gtest.h>

#include "tests/blocks/snapshots.h"

namespace ts::blocks {
namespace {

using allocator::TraceAction;

TEST(BlockFacts, AreThoseOfTheEventAndOfTheFinalSegment) {
  testing::MadeSnapshot made;
  allocator::EntryNotes notes;
  notes.stream = 0x7f;
  notes.compile_context = made.snapshot().strings->intern("0/1");
  notes.user_metadata = made.snapshot().strings->intern("warm-up");
  made.event(TraceAction::segment_alloc, 0x10000, 2 << 20);
  const auto stack = made.stack({{"forward", "/data/model.py", 3}});
  allocator::TraceEntry& entry = made.alloc(0x10000, 700, stack);
  entry.notes = made.snapshot().notes.add(notes) & allocator::kMostNotes;
  made.alloc(0x10400, 100);
  made.free(0x10400, 100);
  allocator::SnapshotSegment segment;
  segment.address = 0x10000;
  segment.total_size = 2 << 20;
  segment.stream = 0x7f;
  segment.small_pool = true;
  segment.pool = {1, 4};
  segment.blocks = {{0x10000, 1024, 700, stack, allocator::BlockState::active_allocated},
                    {0x10400, (2 << 20) - 1024, 0}};
  made.snapshot().segments = {segment};

  const BlockSource source = made.blocks();
  const BlockFacts stays = facts_of(source, 0);
  EXPECT_EQ(stays.address, 0x10000U);
  EXPECT_EQ(stays.requested, 700);
  EXPECT_EQ(stays.rounded, 1024) << "as the segment has it";
  EXPECT_FALSE(stays.rounded_by_rule);
  EXPECT_EQ(stays.total_after, 700);
  EXPECT_EQ(stays.entry, 1U);
  EXPECT_EQ(stays.stream, 0x7f);
  EXPECT_EQ(stays.private_pool, (allocator::PoolId{1, 4}));
  EXPECT_TRUE(stays.small_pool);
  EXPECT_EQ(stays.stack, stack);
  EXPECT_EQ(source.snapshot.text(stays.compile_context), "0/1");
  EXPECT_EQ(source.snapshot.text(stays.user_metadata), "warm-up");

  const BlockFacts freed = facts_of(source, 1);
  EXPECT_EQ(freed.rounded, 512) << "rounded up to 512 bytes";
  EXPECT_TRUE(freed.rounded_by_rule);
  EXPECT_EQ(freed.total_after, 800);
  EXPECT_EQ(freed.stack, memory::kNone);
  EXPECT_FALSE(freed.private_pool);
}

TEST(BlockFacts, ABlockFromBeforeHasTheStackOfItsFree) {
  testing::MadeSnapshot made;
  const auto stack = made.stack({{"drop", "/data/train.py", 9}});
  made.event(TraceAction::free_requested, 0x2000, 64, stack);
  made.event(TraceAction::free_completed, 0x2000, 64, stack);
  const BlockFacts facts = facts_of(made.blocks(), 0);
  EXPECT_TRUE(facts.only_freed);
  EXPECT_EQ(facts.stack, stack);
  EXPECT_FALSE(facts.entry);
}

}  // namespace
}  // namespace ts::blocks
