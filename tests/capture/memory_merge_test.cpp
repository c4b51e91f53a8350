#include "core/capture/memory_merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/capture/raw_records.h"

namespace ts::capture {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max() - 1;

memory::Record at(std::int64_t time_ns, std::uint64_t address) {
  return testing::memory(memory::Action::alloc, time_ns, address);
}

std::vector<std::uint64_t> merged(MemoryMerge& merge, std::int64_t until_ns = kAll) {
  std::vector<memory::Record> out;
  merge.hand_over(until_ns, out);
  std::vector<std::uint64_t> addresses;
  addresses.reserve(out.size());
  for (const memory::Record& record : out) addresses.push_back(record.address);
  return addresses;
}

using Addresses = std::vector<std::uint64_t>;

TEST(MemoryMerge, merges_threads_by_time) {
  MemoryMerge merge;
  merge.take(0, at(10, 1));
  merge.take(0, at(40, 4));
  merge.take(1, at(20, 2));
  merge.take(1, at(30, 3));
  EXPECT_EQ(merge.latest_ns(), 40);
  EXPECT_EQ(merged(merge), (Addresses{1, 2, 3, 4}));
  EXPECT_EQ(merged(merge), (Addresses{}));
  EXPECT_EQ(merge.latest_ns(), std::numeric_limits<std::int64_t>::min());
}

TEST(MemoryMerge, keeps_the_order_of_a_thread_whose_times_run_back) {
  MemoryMerge merge;
  merge.take(0, at(10, 1));
  merge.take(0, at(5, 2));
  merge.take(0, at(30, 3));
  merge.take(1, at(7, 4));
  EXPECT_EQ(merged(merge), (Addresses{4, 1, 2, 3}));
}

TEST(MemoryMerge, equal_times_go_by_thread) {
  MemoryMerge merge;
  merge.take(1, at(10, 3));
  merge.take(0, at(10, 1));
  merge.take(0, at(10, 2));
  EXPECT_EQ(merged(merge), (Addresses{1, 2, 3}));
}

TEST(MemoryMerge, what_is_later_than_asked_waits) {
  MemoryMerge merge;
  merge.take(0, at(10, 1));
  merge.take(0, at(30, 3));
  merge.take(1, at(20, 2));
  merge.take(1, at(40, 4));
  EXPECT_EQ(merged(merge, 20), (Addresses{1, 2}));
  merge.take(0, at(35, 5));
  EXPECT_EQ(merged(merge), (Addresses{3, 5, 4}));
}

TEST(MemoryMerge, random_threads_come_out_sorted_and_complete) {
  std::mt19937 random(5);
  MemoryMerge merge;
  std::vector<std::int64_t> clock(5, 0);
  std::vector<memory::Record> expected;
  std::vector<memory::Record> out;
  std::uint64_t count = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 100; ++i) {
      const std::size_t thread = random() % clock.size();
      clock[thread] += 1 + static_cast<std::int64_t>(random() % 1000);
      const memory::Record record =
          at(clock[thread] * 8 + static_cast<std::int64_t>(thread), count++);
      merge.take(thread, record);
      expected.push_back(record);
    }
    // Nothing older can still come: every thread is beyond this time.
    merge.hand_over(*std::min_element(clock.begin(), clock.end()) * 8, out);
  }
  merge.hand_over(kAll, out);
  std::sort(expected.begin(), expected.end(),
            [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  ASSERT_EQ(out.size(), expected.size());
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].address, expected[i].address);
}

}  // namespace
}  // namespace ts::capture
