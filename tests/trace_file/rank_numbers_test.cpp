#include "core/trace_file/rank_numbers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ts::trace_file {
namespace {

TEST(RankNumbers, NoProcessIsThatOfAnotherRank) {
  RankNumbers numbers(std::vector<TraceFile>(3));
  std::set<std::int64_t> given;
  constexpr int kProcesses = 250;  // more than stand together
  for (int process = 0; process < kProcesses; ++process) {
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto [number, fresh] = numbers.process(rank, std::to_string(process));
      EXPECT_TRUE(fresh);
      EXPECT_TRUE(given.insert(number).second) << number;
    }
  }
  const auto [again, fresh] = numbers.process(1, "249");
  EXPECT_FALSE(fresh);
  EXPECT_EQ(given.count(again), 1U);
}

}  // namespace
}  // namespace ts::trace_file
