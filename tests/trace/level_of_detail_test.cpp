#include "core/trace/level_of_detail.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace ts::trace {
namespace {

TEST(LevelOfDetail, AgreesWithASum) {
  std::mt19937_64 random(11);
  // Around the sizes at which levels and chunks fill up.
  for (const std::uint32_t count : {1U, 15U, 16U, 17U, 256U, 4095U, 4096U, 4097U, 70'000U}) {
    LevelOfDetail levels;
    std::vector<std::int64_t> durations(count);
    for (std::int64_t& duration : durations) {
      duration = static_cast<std::int64_t>(random() % 1000);
      levels.append(duration);
    }
    ASSERT_EQ(levels.size(), count);
    std::uint64_t asked = 0;
    const auto duration_of = [&](std::uint32_t index) {
      ++asked;
      return durations[index];
    };
    for (int i = 0; i < 300; ++i) {
      auto first = static_cast<std::uint32_t>(random() % count);
      auto end = static_cast<std::uint32_t>(random() % count);
      if (end < first) std::swap(first, end);
      ++end;
      asked = 0;
      const Aggregate sum = levels.over(first, end, duration_of);
      std::int64_t busy = 0;
      std::uint32_t longest = first;
      for (std::uint32_t k = first; k < end; ++k) {
        busy += durations[k];
        if (durations[k] > durations[longest]) longest = k;
      }
      ASSERT_EQ(sum.busy_ns, busy);
      ASSERT_EQ(sum.longest, longest);
      ASSERT_EQ(sum.longest_ns, durations[longest]);
      // Only the ragged edges are looked at one by one.
      ASSERT_LE(asked, 2 * (LevelOfDetail::kFanOut - 1));
    }
  }
}

TEST(LevelOfDetail, KnowsMoreThanWasAppended) {
  LevelOfDetail levels;
  for (int i = 0; i < 40; ++i) levels.append(1);
  const Aggregate sum = levels.over(0, 41, [](std::uint32_t i) { return i == 40 ? 9 : 1; });
  EXPECT_EQ(sum.busy_ns, 49);
  EXPECT_EQ(sum.longest, 40U);
}

TEST(LevelOfDetail, TakesLittleRoom) {
  LevelOfDetail levels;
  constexpr std::uint32_t kCount = 1'000'000;
  for (std::uint32_t i = 0; i < kCount; ++i) levels.append(i);
  EXPECT_LE(levels.bytes(), 2U * kCount);
}

}  // namespace
}  // namespace ts::trace
