#include "core/allocator/caching_allocator.h"
#include "core/allocator/caching_allocator_state.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace ts::allocator {
namespace {

CachingAllocator unlimited(const char* settings = "") {
  return {*AllocatorSettings::parse(settings), {}};
}
CachingAllocator with_capacity(std::int64_t capacity, const char* settings = "") {
  return {*AllocatorSettings::parse(settings), {capacity, 0, std::nullopt}};
}

// Held back until the device is full and then let go on, it is what it would have been all along.
TEST(CachingAllocator, AForkGoesOnAsIfItHadAlwaysBeenOnItsDevice) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const CachingAllocator::Device limit{200 * kMiB, 0, {}};
    CachingAllocator::Device held = limit;
    held.keep_cached = true;
    CachingAllocator whole({}, limit), unlimited({}, {}), first({}, held);
    std::mt19937 random(seed);
    std::vector<std::uint64_t> live;
    std::optional<CachingAllocator> on, beyond;
    for (int i = 0; i < 3000; ++i) {
      if (!live.empty() && random() % 100 < 47) {
        std::swap(live[random() % live.size()], live.back());
        if (!on) first.free(live.back());
        if (on) on->free(live.back());
        if (beyond) beyond->free(live.back());
        whole.free(live.back());
        unlimited.free(live.back());
        live.pop_back();
        continue;
      }
      const std::int64_t bytes = 1 + random() % (random() % 4 == 0 ? 30 * kMiB : 300'000);
      const auto wanted = whole.allocate(bytes);
      std::optional<std::uint64_t> got;
      if (!on) got = first.allocate(bytes);
      if (!on && !got) {
        on = first.fork(limit);
        beyond = first.fork({});
      }
      if (on) got = on->allocate(bytes);
      const auto free_of_limits = unlimited.allocate(bytes);
      if (beyond) beyond->allocate(bytes);
      ASSERT_EQ(got, wanted) << seed << ' ' << i;
      if (!wanted || free_of_limits != wanted) break;  // addresses differ from here on
      live.push_back(*wanted);
      if (on) {
        ASSERT_EQ(on->check(), "");
      }
    }
    ASSERT_TRUE(on.has_value()) << seed;
    EXPECT_EQ(on->stats().reserved, whole.stats().reserved);
    EXPECT_EQ(on->stats().peak_reserved, whole.stats().peak_reserved);
    EXPECT_EQ(on->stats().retries, whole.stats().retries);
    EXPECT_EQ(on->stats().ooms, whole.stats().ooms);
    EXPECT_EQ(beyond->stats().peak_reserved, unlimited.stats().peak_reserved);
    EXPECT_EQ(beyond->stats().peak_allocated, unlimited.stats().peak_allocated);
    EXPECT_EQ(beyond->check(), "");
  }
}

TEST(CachingAllocator, SegmentSizesFollowTheRequest) {
  const struct {
    std::int64_t request, reserved;
  } cases[] = {{1, 2 * kMiB},          {kMiB, 2 * kMiB},
               {kMiB + 1, 20 * kMiB},  {10 * kMiB - 512, 20 * kMiB},
               {10 * kMiB, 10 * kMiB}, {10 * kMiB + 1, 12 * kMiB}};
  for (const auto& one : cases) {
    auto allocator = unlimited();
    ASSERT_TRUE(allocator.allocate(one.request));
    EXPECT_EQ(allocator.stats().reserved, one.reserved) << one.request;
  }
}

TEST(CachingAllocator, SmallRequestsShareASegment) {
  auto allocator = unlimited();
  for (int i = 0; i < 4096; ++i) ASSERT_TRUE(allocator.allocate(512));
  EXPECT_EQ(allocator.stats().segment_allocs, 1);
  ASSERT_TRUE(allocator.allocate(512));
  EXPECT_EQ(allocator.stats().segment_allocs, 2);
  EXPECT_EQ(allocator.check(), "");
}

TEST(CachingAllocator, LargeRestOfAtMostOneMebibyteIsHandedOut) {
  auto allocator = unlimited();
  ASSERT_TRUE(allocator.allocate(19 * kMiB + 1));  // segment of 20 MiB, rest just under 1 MiB
  EXPECT_EQ(allocator.stats().allocated, 20 * kMiB);
}

TEST(CachingAllocator, BestFitTakesTheSmallestThatFits) {
  auto allocator = unlimited();
  const auto big = allocator.allocate(64 * kMiB);
  const auto medium = allocator.allocate(32 * kMiB);
  allocator.free(*big);
  allocator.free(*medium);
  EXPECT_EQ(allocator.allocate(31 * kMiB + 512 * 1024), medium);
}

TEST(CachingAllocator, FreeMergesWithBothNeighbours) {
  auto allocator = unlimited();
  const auto a = allocator.allocate(5 * kMiB);
  const auto b = allocator.allocate(5 * kMiB);
  const auto c = allocator.allocate(5 * kMiB);
  allocator.free(*a);
  allocator.free(*c);
  EXPECT_EQ(allocator.check(), "");
  allocator.free(*b);
  EXPECT_EQ(allocator.segments().at(0).blocks.size(), 1U);
  EXPECT_EQ(allocator.allocate(20 * kMiB), a);  // the whole segment again
}

TEST(CachingAllocator, StreamsDoNotShareBlocks) {
  auto allocator = unlimited();
  const auto first = allocator.allocate(20 * kMiB, 1);
  allocator.free(*first);
  EXPECT_NE(allocator.allocate(20 * kMiB, 2), first);
  EXPECT_EQ(allocator.allocate(20 * kMiB, 1), first);
}

TEST(CachingAllocator, ReleasesCachedSegmentsAndRetriesOnce) {
  auto allocator = with_capacity(100 * kMiB);
  const auto first = allocator.allocate(60 * kMiB);
  allocator.free(*first);
  ASSERT_TRUE(allocator.allocate(80 * kMiB));
  EXPECT_EQ(allocator.stats().retries, 1);
  EXPECT_EQ(allocator.stats().segment_frees, 1);
  EXPECT_EQ(allocator.stats().reserved, 80 * kMiB);
}

TEST(CachingAllocator, OutOfMemoryWhenTheRetryFails) {
  auto allocator = with_capacity(100 * kMiB);
  ASSERT_TRUE(allocator.allocate(60 * kMiB));
  EXPECT_FALSE(allocator.allocate(60 * kMiB));
  EXPECT_EQ(allocator.stats().ooms, 1);
  EXPECT_EQ(allocator.check(), "");
  EXPECT_TRUE(allocator.allocate(40 * kMiB)) << "it goes on after an out-of-memory";
}

// Fragmentation: 60 MiB are free in two holes of 30; one request of 40 does not fit, and expandable
// segments would have helped.
TEST(CachingAllocator, ExpandableSegmentsFitWhereHolesDoNot) {
  for (const bool expandable : {false, true}) {
    auto allocator = with_capacity(120 * kMiB, expandable ? "expandable_segments:True" : "");
    std::vector<std::uint64_t> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(*allocator.allocate(30 * kMiB));
    allocator.free(blocks[1]);
    ASSERT_TRUE(allocator.allocate(10 * kMiB));  // pins a part of the hole
    allocator.free(blocks[3]);
    EXPECT_EQ(allocator.allocate(40 * kMiB).has_value(), expandable);
    EXPECT_EQ(allocator.check(), "");
  }
}

TEST(CachingAllocator, ExpandableSegmentsMapWholePages) {
  auto allocator = unlimited("expandable_segments:True");
  ASSERT_TRUE(allocator.allocate(21 * kMiB));
  EXPECT_EQ(allocator.stats().reserved, 40 * kMiB);
  ASSERT_TRUE(allocator.allocate(512));
  EXPECT_EQ(allocator.stats().reserved, 42 * kMiB);
  const auto events = allocator.take_events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].action, SegmentAction::segment_map);
  EXPECT_EQ(events[0].size, 40 * kMiB);
}

TEST(CachingAllocator, MaxSplitSizeKeepsBigBlocksWhole) {
  auto allocator = unlimited("max_split_size_mb:64");
  const auto big = allocator.allocate(100 * kMiB);
  allocator.free(*big);
  const auto small = allocator.allocate(30 * kMiB);
  EXPECT_NE(small, big);
  EXPECT_EQ(allocator.allocate(90 * kMiB), big);  // within 20 MiB of its size
}

TEST(CachingAllocator, GarbageCollectionFreesOldBlocksFirst) {
  CachingAllocator allocator(*AllocatorSettings::parse("garbage_collection_threshold:0.5"),
                             {1000 * kMiB, 1000 * kMiB, 1.0});
  const auto old_block = allocator.allocate(300 * kMiB);
  allocator.free(*old_block);
  for (int i = 0; i < 5; ++i) {
    const auto block = allocator.allocate(290 * kMiB + i * 512);
    if (block) allocator.free(*block);
  }
  const auto live = allocator.allocate(250 * kMiB);
  ASSERT_TRUE(live);
  const auto more = allocator.allocate(400 * kMiB);  // over the threshold: collects before
  ASSERT_TRUE(more);
  EXPECT_EQ(allocator.stats().retries, 0);
  EXPECT_EQ(allocator.check(), "");
}

TEST(CachingAllocator, EmptyCacheReturnsWholeSegmentsOnly) {
  auto allocator = unlimited();
  const auto a = allocator.allocate(20 * kMiB);
  const auto b = allocator.allocate(5 * kMiB);
  allocator.allocate(5 * kMiB);
  allocator.free(*a);
  allocator.free(*b);
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats().reserved, 20 * kMiB);
  EXPECT_EQ(allocator.inactive_split_bytes(), 15 * kMiB);
}

struct Variant {
  const char* settings;
  std::int64_t capacity_mib;
};
class CachingAllocatorProperty : public ::testing::TestWithParam<Variant> {};

TEST_P(CachingAllocatorProperty, InvariantsHoldUnderRandomLoad) {
  std::mt19937_64 random(7);
  auto allocator = with_capacity(GetParam().capacity_mib * kMiB, GetParam().settings);
  std::map<std::uint64_t, std::int64_t> live;  // address -> requested
  std::int64_t requested = 0;
  std::uniform_int_distribution<int> percent(0, 99);
  for (int i = 0; i < 20000; ++i) {
    if (live.empty() || percent(random) < 52) {
      const int kind = percent(random);
      const std::int64_t limit = kind < 50 ? kMiB : kind < 90 ? 12 * kMiB : 150 * kMiB;
      const std::int64_t bytes = std::uniform_int_distribution<std::int64_t>(1, limit)(random);
      if (const auto address = allocator.allocate(bytes, percent(random) < 20 ? 1 : 0)) {
        const auto next = live.lower_bound(*address);
        if (next != live.end()) {
          ASSERT_LE(*address + static_cast<std::uint64_t>(bytes), next->first);
        }
        if (next != live.begin()) {
          const auto& previous = *std::prev(next);
          ASSERT_LE(previous.first + static_cast<std::uint64_t>(previous.second), *address);
        }
        live[*address] = bytes;
        requested += bytes;
      }
    } else {
      auto victim = live.begin();
      std::advance(victim, std::uniform_int_distribution<std::ptrdiff_t>(
                               0, static_cast<std::ptrdiff_t>(live.size()) - 1)(random));
      ASSERT_TRUE(allocator.free(victim->first));
      requested -= victim->second;
      live.erase(victim);
    }
    ASSERT_EQ(allocator.stats().requested, requested);
    ASSERT_LE(allocator.stats().reserved, GetParam().capacity_mib * kMiB);
    if (i % 50 == 0) {
      ASSERT_EQ(allocator.check(), "") << i;
    }
  }
  for (const auto& [address, bytes] : live) ASSERT_TRUE(allocator.free(address));
  EXPECT_EQ(allocator.stats().allocated, 0);
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats().reserved, 0) << "every byte went back";
  EXPECT_EQ(allocator.check(), "");
  EXPECT_FALSE(allocator.free(12345));
}

INSTANTIATE_TEST_SUITE_P(Settings, CachingAllocatorProperty,
                         ::testing::Values(Variant{"", 100000}, Variant{"", 1500},
                                           Variant{"expandable_segments:True", 100000},
                                           Variant{"expandable_segments:True", 1500},
                                           Variant{"max_split_size_mb:32", 2000},
                                           Variant{"roundup_power2_divisions:[1:4,>:8]", 3000}));

}  // namespace
}  // namespace ts::allocator
