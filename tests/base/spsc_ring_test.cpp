#include "core/base/spsc_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace ts::base {
namespace {

TEST(SpscRing, RefusesAndCountsWhenFull) {
  SpscRing<int> ring(3, 2);  // two segments and one more
  ASSERT_EQ(ring.capacity(), 6U);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(ring.try_push(i));
  EXPECT_FALSE(ring.try_push(6));
  EXPECT_EQ(ring.dropped(), 1U);
  int sum = 0;
  EXPECT_EQ(ring.drain([&](int value) { sum += value; }), 6U);
  EXPECT_EQ(sum, 15);
  EXPECT_TRUE(ring.try_push(7));
}

TEST(SpscRing, HasRoomWhereASegmentIsHalfEmpty) {
  SpscRing<int> ring(4, 4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.try_push(i));
  ring.drain([](int) {}, 3);
  for (int i = 4; i < 7; ++i) EXPECT_TRUE(ring.try_push(i));
  int next = 3;
  ring.drain([&](int value) { EXPECT_EQ(value, next++); });
  EXPECT_EQ(next, 7);
  EXPECT_EQ(ring.dropped(), 0U);
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
  SpscRing<std::uint64_t> ring(4096, 512);
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
