#include "kernels/observe/sequence_modules.h"

#include <gtest/gtest.h>

namespace ts::kernels {
namespace {

TEST(SequenceModules, the_last_operator_of_a_number_counts) {
  SequenceModules modules;
  modules.remember(1, 10, 5);
  modules.remember(1, 10, 6);
  modules.remember(1, 12, 7);
  EXPECT_EQ(modules.find(1, 10), 6U);
  EXPECT_EQ(modules.find(1, 11), base::kNoString);
  EXPECT_EQ(modules.find(1, 12), 7U);
  EXPECT_EQ(modules.find(1, 13), base::kNoString);
  EXPECT_EQ(modules.find(1, 9), base::kNoString);
}

// On CUDA the backward has a thread of its own, and what runs again there is numbered anew.
TEST(SequenceModules, threads_have_numbers_of_their_own) {
  SequenceModules modules;
  modules.remember(1, 10, 5);
  modules.remember(2, 10, 9);
  modules.remember(2, 3, 8);
  EXPECT_EQ(modules.find(1, 10), 5U);
  EXPECT_EQ(modules.find(2, 10), 9U);
  EXPECT_EQ(modules.find(2, 3), base::kNoString) << "before the first of its thread";
  EXPECT_EQ(modules.find(3, 10), base::kNoString);
}

// A script may run for days.
TEST(SequenceModules, the_oldest_of_very_many_are_forgotten) {
  SequenceModules modules;
  constexpr std::int64_t kLast = std::int64_t{3} * SequenceModules::kMost;
  for (std::int64_t i = 0; i <= kLast; ++i)
    modules.remember(1, i, static_cast<base::StringId>(i + 1));
  EXPECT_EQ(modules.find(1, 0), base::kNoString);
  for (const std::int64_t i : {kLast, kLast - 1, kLast - 1000})
    EXPECT_EQ(modules.find(1, i), i + 1);
}

}  // namespace
}  // namespace ts::kernels
