#include "core/base/spsc_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace ts::base {
namespace {

TEST(SpscRing, RefusesAndCountsWhenFull) {
  SpscRing<int> ring(3);  // rounded up to 4
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.try_push(i));
  EXPECT_FALSE(ring.try_push(4));
  EXPECT_EQ(ring.dropped(), 1U);
  int sum = 0;
  EXPECT_EQ(ring.drain([&](int value) { sum += value; }), 4U);
  EXPECT_EQ(sum, 6);
  EXPECT_TRUE(ring.try_push(5));
}

TEST(SpscRing, DrainsAtMost) {
  SpscRing<int> ring(8);
  for (int i = 0; i < 5; ++i) ring.try_push(i);
  EXPECT_EQ(ring.drain([](int) {}, 2), 2U);
  int first = -1;
  ring.drain([&](int value) { first = value; }, 1);
  EXPECT_EQ(first, 2);
}

TEST(SpscRing, KeepsOrderBetweenTwoThreads) {
  SpscRing<std::uint64_t> ring(64);
  constexpr std::uint64_t kCount = 200000;
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < kCount;) {
      if (ring.try_push(i)) ++i;
    }
  });
  std::uint64_t expected = 0;
  bool ordered = true;
  while (expected < kCount) {
    ring.drain([&](std::uint64_t value) { ordered = ordered && value == expected++; });
  }
  producer.join();
  EXPECT_TRUE(ordered);
}

}  // namespace
}  // namespace ts::base
