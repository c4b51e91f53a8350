#include "core/blocks/block_difference.h"

#include <gtest/gtest.h>

#include "core/blocks/growth.h"
#include "core/blocks/stack_parts.h"
#include "tests/blocks/snapshots.h"

namespace ts::blocks {
namespace {

using testing::kMiB;

TEST(BlockDifference, IsWhatOneHasAliveAndTheOtherNot) {
  testing::MadeSnapshot one;
  testing::MadeSnapshot other;
  // The same program in two folders.
  const auto stack_a = one.stack({{"forward", "/data/a/model.py", 4}, {"_start", "??", 0}});
  const auto stack_b =
      other.stack({{"forward", "/data/b/model.py", 4}, {"__libc_start_main", "", 0}});
  const auto extra = other.stack({{"log", "/data/b/train.py", 9}});
  one.alloc(0x1000, 4 * kMiB, stack_a);
  one.alloc(0x2000, 2 * kMiB, stack_a);
  other.alloc(0x9000, 4 * kMiB, stack_b);
  other.alloc(0xA000, 3 * kMiB, stack_b);
  other.alloc(0xB000, 1 * kMiB, extra);
  other.alloc(0xC000, 1 * kMiB, extra);
  const BlockSource a = one.blocks();
  const BlockSource b = other.blocks();
  const auto rows = difference_of({a, a.log.peak_event()}, {b, b.log.peak_event()});
  ASSERT_EQ(rows.size(), 3U) << "4 MiB of model.py:4 are in both";
  EXPECT_EQ(rows[0].stack, "forward  model.py:4");
  EXPECT_EQ(rows[0].bytes(), 3 * kMiB);
  EXPECT_EQ(rows[1].bytes(), -2 * kMiB);
  EXPECT_EQ(rows[1].count_a, 1);
  EXPECT_EQ(rows[1].count_b, 0);
  EXPECT_EQ(rows[2].stack, "log  train.py:9");
  EXPECT_EQ(rows[2].count_b, 2);
  EXPECT_EQ(rows[2].bytes(), 2 * kMiB);
  // The blocks of a row, in each of the two.
  using Blocks = std::vector<memory::BlockIndex>;
  EXPECT_EQ(blocks_of({b, b.log.peak_event()}, rows[2]), (Blocks{2, 3}));
  EXPECT_EQ(blocks_of({a, a.log.peak_event()}, rows[2]), Blocks{});
  EXPECT_EQ(blocks_of({a, a.log.peak_event()}, rows[1]), Blocks{1});
  EXPECT_TRUE(difference_of({a, a.log.peak_event()}, {a, a.log.peak_event()}).empty());
}

TEST(BlockDifference, ThePeakOfAnotherStepIsTheSame) {
  testing::MadeSnapshot one;
  testing::MadeSnapshot other;
  const auto peak_in = [](testing::MadeSnapshot& made, std::int64_t step) {
    made.alloc(0x1000, 4 * kMiB,
               made.stack({{"aten::mul", "operator", 0}, {"step", "step", step}}));
  };
  peak_in(one, 3);
  peak_in(other, 5);
  const BlockSource a = one.blocks();
  const BlockSource b = other.blocks();
  EXPECT_TRUE(difference_of({a, a.log.peak_event()}, {b, b.log.peak_event()}).empty());
}

// Steps marked by annotations, each with a block that stays and one that does not.
testing::MadeSnapshot training(int steps, std::int64_t leaked) {
  testing::MadeSnapshot made;
  auto& snapshot = made.snapshot();
  const auto model = made.stack({{"forward", "/m/model.py", 4}});
  const auto history = made.stack({{"log_loss", "/m/train.py", 31}});
  const auto mark = [&](const char* name, const char* stage, std::int64_t time) {
    snapshot.external_annotations.push_back(
        {snapshot.strings->intern(name), snapshot.strings->intern(stage), 0, time});
  };
  std::uint64_t next = 0x100000;
  made.alloc(0x1000, 5 * kMiB, model);
  for (int step = 0; step < steps; ++step) {
    const auto now = [&] {
      return 1'000 + static_cast<std::int64_t>(snapshot.device_traces[0].size());
    };
    mark("forward", "START", now());
    made.alloc(0x2000, 3 * kMiB, model);
    if (leaked > 0) made.alloc(next += 0x10000, leaked, history);
    mark("forward", "END", now());
    mark("backward", "START", now());
    made.free(0x2000, 3 * kMiB);
    mark("backward", "END", now());
    for (const char* stage : {"START", "END"})
      mark(("ProfilerStep#" + std::to_string(step)).c_str(), stage,
           stage[0] == 'S' ? now() - 4 - (leaked > 0 ? 1 : 0) + 1 : now());
  }
  return made;
}

TEST(Growth, NamesTheStackThatGrowsFromStepToStep) {
  testing::MadeSnapshot made = training(6, 700);
  const BlockSource source = made.blocks();
  const Growth growth = find_growth(source);
  ASSERT_TRUE(growth.known());
  ASSERT_EQ(growth.ends.size(), 6U) << "the last has an end, too";
  ASSERT_EQ(growth.stacks.size(), 1U);
  const GrowingStack& leak = growth.stacks[0];
  ASSERT_EQ(leak.frames.size(), 1U);
  EXPECT_EQ(source.snapshot.text(source.snapshot.stacks.frame(leak.frames[0]).name), "log_loss");
  EXPECT_EQ(leak.alive.size(), 6U);
  EXPECT_EQ(leak.last_bytes - leak.first_bytes, 5 * 700);
  EXPECT_EQ(leak.last_count - leak.first_count, 5);
  EXPECT_EQ(growth.last_total - growth.first_total, 5 * 700);
}

// A block from after the end of a step to the next forward is alive at no end.
TEST(Growth, StepsEndWhereTheirAnnotationsDo) {
  testing::MadeSnapshot made;
  auto& snapshot = made.snapshot();
  const auto mark = [&](const std::string& name, const char* stage, std::int64_t time) {
    snapshot.external_annotations.push_back(
        {snapshot.strings->intern(name), snapshot.strings->intern(stage), 0, time});
  };
  const auto now = [&] {
    return 1'000 + static_cast<std::int64_t>(snapshot.device_traces[0].size());
  };
  for (int step = 0; step < 4; ++step) {
    const std::string name = "ProfilerStep#" + std::to_string(step);
    mark(name, "START", now());
    mark("forward", "START", now());
    if (step > 0) made.free(0x9000, kMiB);
    made.alloc(0x100000 * static_cast<std::uint64_t>(step + 1), 700);
    mark("forward", "END", now());
    mark(name, "END", now());
    made.alloc(0x9000, kMiB);
  }
  const Growth growth = find_growth(made.blocks());
  ASSERT_EQ(growth.ends.size(), 4U);
  EXPECT_EQ(growth.first_total, 700);
  EXPECT_EQ(growth.last_total, 4 * 700);
}

TEST(Growth, ALastStepWithoutAnEndIsLeftOut) {
  testing::MadeSnapshot made = training(6, 700);
  made.snapshot().external_annotations.pop_back();
  EXPECT_EQ(find_growth(made.blocks()).ends.size(), 5U);
}

TEST(Growth, NothingGrowsWhereEveryStepIsLikeTheOneBefore) {
  testing::MadeSnapshot made = training(6, 0);
  const Growth growth = find_growth(made.blocks());
  EXPECT_TRUE(growth.known());
  EXPECT_TRUE(growth.stacks.empty());
}

// As in a recording of ours, whose stacks end with the step: each step keeps a block and replaces
// another one.
testing::MadeSnapshot recorded(int steps, std::int64_t leaked) {
  testing::MadeSnapshot made;
  auto& snapshot = made.snapshot();
  const auto phase = [&](const char* stage) {
    snapshot.external_annotations.push_back(
        {snapshot.strings->intern("forward"), snapshot.strings->intern(stage), 0,
         1'000 + static_cast<std::int64_t>(snapshot.device_traces[0].size())});
  };
  for (int step = 0; step < steps; ++step) {
    const auto stack = [&](const char* op) {
      return made.stack({{op, "operator", 0}, {"forward", "phase", 0}, {"step", "step", step}});
    };
    const auto address = static_cast<std::uint64_t>(step + 1) << 20;
    phase("START");
    made.alloc(address, 3 * kMiB, stack("aten::mul"));
    if (step > 0) made.free(address - (1 << 20), 3 * kMiB);
    if (leaked > 0) made.alloc(address << 20, leaked, stack("aten::add"));
    phase("END");
  }
  return made;
}

TEST(Growth, StacksThatDifferInTheirStepAreOne) {
  testing::MadeSnapshot made = recorded(6, 700);
  const BlockSource source = made.blocks();
  const Growth growth = find_growth(source);
  ASSERT_EQ(growth.ends.size(), 5U);
  ASSERT_EQ(growth.stacks.size(), 1U);
  EXPECT_EQ(frames_text(source.snapshot, growth.stacks[0].frames, Paths::names),
            "aten::add  operator < forward  phase");
  EXPECT_EQ(growth.stacks[0].first_count, 1);
  EXPECT_EQ(growth.stacks[0].last_count, 5);
}

TEST(Growth, WhatEveryStepReplacesDoesNotGrow) {
  testing::MadeSnapshot made = recorded(4, 0);
  const Growth growth = find_growth(made.blocks());
  EXPECT_TRUE(growth.known());
  EXPECT_TRUE(growth.stacks.empty());
}

TEST(Growth, FewStepsTellNothing) {
  testing::MadeSnapshot made = training(2, 700);
  EXPECT_FALSE(find_growth(made.blocks()).known());
  testing::MadeSnapshot none;
  none.alloc(0x1000, 5);
  EXPECT_FALSE(find_growth(none.blocks()).known());
}

}  // namespace
}  // namespace ts::blocks
