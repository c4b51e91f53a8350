// The rules of caches: known cases, and Belady's rule as the best there is.
#include "core/loader/caches.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/loader/random.h"

namespace ts::loader {
namespace {

// Rounds over the same samples, in the same order.
std::vector<std::uint32_t> cyclic(std::uint32_t samples, int rounds) {
  std::vector<std::uint32_t> order;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < samples; ++i) order.push_back(i);
  }
  return order;
}

// VLM-11: a scan that is larger than the cache finds nothing with LRU.
TEST(CacheRule, LruFindsNothingInALargerCyclicScan) {
  const auto order = cyclic(10, 5);
  EXPECT_EQ(hit_share(order, 9, Leaves::least_recent), 0);
  EXPECT_DOUBLE_EQ(hit_share(order, 10, Leaves::least_recent), 0.8);
  // Nine of ten stay, so that about eight of nine uses after the first round are found.
  EXPECT_GT(hit_share(order, 9, Leaves::farthest_next), 0.7);
}

TEST(CacheRule, ByHand) {
  const std::vector<std::uint32_t> order = {1, 2, 3, 1, 2, 3};
  CacheRule rule(order, 2, Leaves::least_recent);
  EXPECT_FALSE(rule.use(0));
  EXPECT_FALSE(rule.use(1));
  EXPECT_EQ(rule.left(), CacheRule::kNobody);
  EXPECT_FALSE(rule.use(2));
  EXPECT_EQ(rule.left(), 1U);
  EXPECT_FALSE(rule.keeps(1));
  EXPECT_TRUE(rule.keeps(3));
}

TEST(CacheRule, KnowingTheOrderIsNeverWorse) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint32_t> order(300);
    for (std::uint32_t& one : order) one = static_cast<std::uint32_t>(random.below(40));
    const std::size_t room = random.below(45);
    EXPECT_GE(hit_share(order, room, Leaves::farthest_next) + 1e-12,
              hit_share(order, room, Leaves::least_recent));
  }
  EXPECT_EQ(hit_share(cyclic(4, 3), 0, Leaves::farthest_next), 0);
}

}  // namespace
}  // namespace ts::loader
