#include "core/blocks/block_table.h"

#include <gtest/gtest.h>

#include <random>

#include "core/blocks/flame_graph.h"
#include "tests/blocks/snapshots.h"

namespace ts::blocks {
namespace {

using testing::kMiB;

// Two layers ask for memory from the same line; a third block is freed before the peak.
struct Example {
  testing::MadeSnapshot made;
  Example() {
    const auto first = made.stack({{"at::_ops::mm::call(at::Tensor const&)", "??", 0},
                                   {"forward", "/m/model.py", 42},
                                   {"main", "/m/train.py", 7},
                                   {"_start", "??", 0}});
    const auto second = made.stack({{"at::_ops::add::call(at::Tensor const&)", "??", 0},
                                    {"forward", "/m/model.py", 42},
                                    {"main", "/m/train.py", 7}});
    made.alloc(0x1000, 5 * kMiB);
    made.free(0x1000, 5 * kMiB);
    made.alloc(0x2000, 4 * kMiB, first);
    made.alloc(0x3000, 2 * kMiB, second);
    made.alloc(0x4000, 2 * kMiB, first);
  }
};

TEST(BlockTable, GroupsWhatIsAliveByFrameOperatorSizeAndStack) {
  Example example;
  const BlockSource source = example.made.blocks();
  const auto peak = source.log.peak_event();
  const auto groups = [&](GroupBy by) { return group_blocks(source, by, Weight::alive, peak); };

  const auto frames = groups(GroupBy::frame);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].name, "forward  /m/model.py:42");
  EXPECT_EQ(frames[0].count, 3);
  EXPECT_EQ(frames[0].weight, 8.0 * kMiB);
  EXPECT_EQ(frames[0].largest, 4 * kMiB);
  EXPECT_EQ(frames[0].first, 1U);

  const auto operators = groups(GroupBy::op);
  ASSERT_EQ(operators.size(), 2U);
  EXPECT_EQ(operators[0].name, "aten::mm");
  EXPECT_EQ(operators[0].weight, 6.0 * kMiB);
  EXPECT_EQ(operators[1].name, "aten::add");

  const auto sizes = groups(GroupBy::size);
  ASSERT_EQ(sizes.size(), 2U) << "the largest sum first, then by name";
  EXPECT_EQ(sizes[0].name, "2.00 MiB (2,097,152 B)");
  EXPECT_EQ(sizes[0].count, 2);

  const auto stacks = groups(GroupBy::stack);
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[0].name, "forward  /m/model.py:42 < main  /m/train.py:7 \xe2\x80\xa6 aten::mm");
  EXPECT_EQ(stacks[0].brief, "forward  model.py:42 < main  train.py:7 \xe2\x80\xa6 aten::mm");
  using Blocks = std::vector<memory::BlockIndex>;
  EXPECT_EQ(blocks_of_group(source, GroupBy::stack, Weight::alive, peak, stacks[0].name),
            (Blocks{1, 3}));
}

TEST(BlockTable, EverythingAllocatedAndLifetimesCountFreedBlocksToo) {
  Example example;
  const BlockSource source = example.made.blocks();
  const auto all = group_blocks(source, GroupBy::frame, Weight::allocated, memory::kNone);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].weight, 8.0 * kMiB);
  EXPECT_EQ(all[1].name, "") << "no stack";
  EXPECT_EQ(all[1].weight, 5.0 * kMiB);
  const auto times = group_blocks(source, GroupBy::frame, Weight::lifetime, memory::kNone);
  // From 1000 to 1002 us.
  EXPECT_DOUBLE_EQ(times[1].weight, 5.0 * kMiB * 2e-6);
}

TEST(FlameGraph, HasTheOutermostFrameAtTheRootAndNoInterpreter) {
  Example example;
  const BlockSource source = example.made.blocks();
  const auto nodes = flame_graph(source, Weight::alive, source.log.peak_event());
  const auto name = [&](const FlameNode& node) {
    return std::string(
        source.snapshot.text(source.snapshot.stacks.frame(node.frame).name).substr(0, 13));
  };
  ASSERT_EQ(nodes.size(), 5U);
  EXPECT_EQ(nodes[0].weight, 8.0 * kMiB);
  EXPECT_EQ(name(nodes[1]), "main");
  EXPECT_EQ(name(nodes[2]), "forward");
  EXPECT_EQ(name(nodes[3]), "at::_ops::mm:");
  EXPECT_EQ(nodes[3].parent, 2U);
  EXPECT_EQ(nodes[3].depth, 3U);
  EXPECT_EQ(nodes[3].weight, 6.0 * kMiB);
  EXPECT_EQ(name(nodes[4]), "at::_ops::add");
  EXPECT_EQ(nodes[4].begin, 6.0 * kMiB) << "right of its heavier neighbour";
}

// PyTorch's dispatcher lies between the line of the program and the operator, twice.
TEST(FlameGraph, FoldsWhatTellsNothingUnlessAllIsAskedFor) {
  testing::MadeSnapshot made;
  const char* const call = "at::_ops::mm::call(at::Tensor const&)";
  const auto stack = made.stack({{"c10::cuda::CUDACachingAllocator::malloc(unsigned long)", "", 0},
                                 {"at::_ops::empty::call(c10::ArrayRef<long>)", "??", 0},
                                 {"at::_ops::mm::redispatch(c10::DispatchKeySet)", "??", 0},
                                 {"c10::impl::wrap_kernel_functor_unboxed_<int>::call()", "??", 0},
                                 {call, "??", 0},
                                 {"forward", "/m/model.py", 42},
                                 {"_call_impl", "/x/site-packages/torch/nn/module.py", 1790},
                                 {"main", "/m/train.py", 7},
                                 {"_start", "??", 0}});
  made.alloc(0x1000, kMiB, stack);
  const BlockSource source = made.blocks();
  const auto names = [&](FlameFrames frames) {
    std::vector<std::string> all;
    for (const FlameNode& node : flame_graph(source, Weight::alive, 0, frames)) {
      if (node.frame != memory::kNone)
        all.emplace_back(source.snapshot.text(source.snapshot.stacks.frame(node.frame).name));
    }
    return all;
  };
  EXPECT_EQ(names(FlameFrames::telling), (std::vector<std::string>{"main", "forward", call}));
  EXPECT_EQ(names(FlameFrames::all).size(), 8U) << "all but the start of the program";
}

// Random stacks: every node is as heavy as its children and what ends in it, and children lie
// inside their parent side by side.
TEST(FlameGraph, ChildrenLieInsideTheirParents) {
  std::mt19937 random(7);
  testing::MadeSnapshot made;
  std::vector<allocator::StackIndex> stacks{memory::kNone};
  for (int i = 0; i < 60; ++i) {
    std::vector<testing::Line> frames;
    for (auto depth = random() % 7; depth > 0; --depth)
      frames.push_back({"f", "/x/a.py", static_cast<std::int64_t>(random() % 4)});
    stacks.push_back(made.stack(frames));
  }
  double sum = 0;
  for (std::uint64_t i = 1; i <= 500; ++i) {
    const auto size = static_cast<std::int64_t>(1 + random() % 1000);
    made.alloc(i << 12U, size, stacks[random() % stacks.size()]);
    sum += static_cast<double>(size);
  }
  const auto nodes = flame_graph(made.blocks(), Weight::alive, 499);
  EXPECT_EQ(nodes[0].weight, sum);
  std::vector<double> filled(nodes.size(), 0);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const FlameNode& node = nodes[i];
    ASSERT_LT(node.parent, i);
    EXPECT_EQ(node.begin, nodes[node.parent].begin + filled[node.parent]);
    filled[node.parent] += node.weight;
    EXPECT_LE(filled[node.parent], nodes[node.parent].weight);
  }
}

}  // namespace
}  // namespace ts::blocks
