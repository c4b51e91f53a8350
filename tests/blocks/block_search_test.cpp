#include "core/blocks/block_search.h"

#include <gtest/gtest.h>

#include "core/blocks/block_hits.h"
#include "tests/blocks/snapshots.h"

namespace ts::blocks {
namespace {

using testing::kMiB;
using Found = std::vector<memory::BlockIndex>;

class BlockSearch : public ::testing::Test {
 protected:
  BlockSearch() {
    const auto attention = made_.stack(
        {{"at::_ops::bmm::call(at::Tensor const&)", "??", 0}, {"Forward", "/m/attention.py", 42}});
    made_.alloc(0x7f3a12000000, 12 * kMiB + 1000, attention);
    made_.alloc(0x7f3b00000000, 300, made_.stack({{"main", "/m/train.py", 7}}));
    made_.alloc(0x7f3b00001000, 12 * kMiB, attention);
  }
  Found find(std::string_view text) { return find_blocks(made_.blocks(), text); }
  testing::MadeSnapshot made_;
};

TEST_F(BlockSearch, ByFrameFileAndOperator) {
  EXPECT_EQ(find("attention.py"), (Found{0, 2}));
  EXPECT_EQ(find("forward"), (Found{0, 2})) << "capitals make no difference";
  EXPECT_EQ(find("ATEN::BMM"), (Found{0, 2}));
  EXPECT_EQ(find("train.py:7"), (Found{1})) << "the line is in the module's name";
  EXPECT_EQ(find("nothing of the kind"), Found{});
  EXPECT_EQ(find("  "), Found{});
}

TEST_F(BlockSearch, ByAddress) {
  EXPECT_EQ(find("0x7f3a12000000"), Found{0});
  EXPECT_EQ(find("0x7f3a12000010"), Found{0}) << "inside the block";
  EXPECT_EQ(find("0x7f3b"), (Found{1, 2})) << "its beginning";
  EXPECT_EQ(find("0x7f3b0000012b"), Found{1}) << "its last byte";
  EXPECT_EQ(find("0x7f3b0000012c"), Found{}) << "the byte after it";
}

TEST_F(BlockSearch, BySize) {
  EXPECT_EQ(find("12MiB"), (Found{0, 2})) << "as it is shown";
  EXPECT_EQ(find("=12MiB"), Found{2});
  EXPECT_EQ(find(">12MiB"), Found{0});
  EXPECT_EQ(find("<1kib"), Found{1});
  EXPECT_EQ(find("300b"), Found{1});
  EXPECT_EQ(find(">=0"), (Found{0, 1, 2}));
}

TEST_F(BlockSearch, SeveralWordsMustAllApply) {
  EXPECT_EQ(find("attention >12MiB"), Found{0});
  EXPECT_EQ(find("attention <1MiB"), Found{});
}

TEST_F(BlockSearch, HitsAreSteppedThroughInACircle) {
  BlockHits hits;
  hits.update(1, made_.blocks(), "attention", {});
  EXPECT_TRUE(hits.active());
  EXPECT_EQ(hits.bytes(), 24 * kMiB + 1000);
  EXPECT_EQ(*hits.marks(), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(hits.step(std::nullopt, 1), 0U);
  EXPECT_EQ(hits.step(0, 1), 2U);
  EXPECT_EQ(hits.step(1, 1), 2U) << "from a block that is no hit";
  EXPECT_EQ(hits.step(2, 1), 0U);
  EXPECT_EQ(hits.step(0, -1), 2U);
  hits.update(1, made_.blocks(), " ", {});
  EXPECT_FALSE(hits.active());
  EXPECT_EQ(hits.marks(), nullptr);
  EXPECT_FALSE(hits.step(0, 1));
}

// A pick of this device counts while nothing is searched for.
TEST_F(BlockSearch, PickedBlocksAreHits) {
  const BlockPicks picks = {std::make_shared<const BlockPick>(BlockPick{.id = 2, .blocks = {0}}),
                            std::make_shared<const BlockPick>(BlockPick{.id = 1, .blocks = {1}})};
  BlockHits hits;
  hits.update(1, made_.blocks(), "", picks);
  EXPECT_TRUE(hits.active());
  EXPECT_EQ(hits.blocks(), std::vector<memory::BlockIndex>{1});
  EXPECT_EQ(hits.bytes(), made_.blocks().log.blocks()[1].size);
  hits.update(1, made_.blocks(), "attention", picks);
  EXPECT_EQ(hits.blocks().size(), 2U);
  hits.update(1, made_.blocks(), "", {});
  EXPECT_FALSE(hits.active());
}

}  // namespace
}  // namespace ts::blocks
