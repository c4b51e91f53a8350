#include "core/memory/log_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace ts::memory {
namespace {

using base::Phase;

// One allocation, freed at the end of its phase in the order it was made.
struct Made {
  const char* op = "aten::mm";
  std::int64_t size = 512;
  const char* module = "net";
};

class LogComparisonTest : public ::testing::Test {
 protected:
  // A log of phases with allocations; `last_fails`: the allocator refuses after the last one.
  AllocationLog log_of(const std::vector<std::vector<Made>>& steps, bool last_fails = false,
                       Phase phase = Phase::forward) {
    AllocationLog log;
    std::int64_t now = 0;
    std::int32_t step = 0;
    for (const auto& made : steps) {
      const auto put = [&](Record record) {
        record.time_ns = ++now;
        record.step = step;
        record.phase = phase;
        log.append(record);
      };
      Record mark;
      mark.action = Action::phase_begin;
      put(mark);
      std::uint64_t address = 1;
      for (const Made& one : made) {
        Record record;
        record.action = Action::alloc;
        record.address = address++;
        record.size = one.size;
        record.op = strings.intern(one.op);
        record.module = strings.intern(one.module);
        put(record);
      }
      if (last_fails && &made == &steps.back()) {
        Record refused;
        refused.action = Action::oom;
        refused.size = 512;
        put(refused);
      }
      for (std::uint64_t i = 1; i < address; ++i) {
        Record record;
        record.action = Action::free_completed;
        record.address = i;
        put(record);
      }
      mark.action = Action::phase_end;
      put(mark);
      ++step;
    }
    return log;
  }

  base::StringTable strings;
};

TEST_F(LogComparisonTest, EqualLogsAgreeEverywhere) {
  const AllocationLog log = log_of({{{}, {"aten::add", 1024}}, {{}, {"aten::add", 1024}}});
  const LogComparison found = compare_logs(log, log, strings);
  EXPECT_EQ(found.pairs.size(), log.events().size());
  EXPECT_TRUE(found.different.empty());
  EXPECT_EQ(found.steps, 2);
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    EXPECT_EQ(found.pairs[i].predicted, i);
    EXPECT_EQ(found.pairs[i].measured, i);
  }
}

TEST_F(LogComparisonTest, NamesWhatDiffersAndInWhichOrder) {
  const AllocationLog predicted =
      log_of({{{"a", 512}, {"b", 1024}, {"c", 2048}, {"only", 512}, {"d", 512}}});
  const AllocationLog measured =
      log_of({{{"a", 512}, {"b", 4096}, {"c", 2048}, {"d", 512}, {"extra", 8}}});
  const LogComparison found = compare_logs(predicted, measured, strings);
  EXPECT_TRUE(found.aligned);
  // Each of the three once as it is taken and once as it is freed.
  ASSERT_EQ(found.different.size(), 6U);
  const EventPair& first = found.pairs[found.different[0]];
  EXPECT_EQ(first.agreement, Agreement::changed);
  EXPECT_EQ(first.predicted, 1U);
  EXPECT_EQ(first.measured, 1U);
  const EventPair& second = found.pairs[found.different[1]];
  EXPECT_EQ(second.agreement, Agreement::only_predicted);
  EXPECT_EQ(second.predicted, 3U);
  EXPECT_EQ(second.measured, kNone);
  const EventPair& third = found.pairs[found.different[2]];
  EXPECT_EQ(third.agreement, Agreement::only_measured);
  EXPECT_EQ(third.measured, 4U);
  EXPECT_EQ(found.unexplained, 6U);
  EXPECT_EQ(found.predicted_events, predicted.events().size());
  EXPECT_EQ(found.measured_events, measured.events().size());
}

TEST_F(LogComparisonTest, StepsThatOneLogLacksAreLeftOut) {
  const AllocationLog two = log_of({{{}}, {{}}});
  const AllocationLog three = log_of({{{}}, {{}}, {{}}});
  EXPECT_EQ(compare_logs(two, three, strings).steps, 2);
  EXPECT_EQ(compare_logs(two, three, strings).pairs.size(), 4U);
}

TEST_F(LogComparisonTest, ABrokenRunIsComparedAsFarAsItCame) {
  const AllocationLog predicted = log_of({{{"a"}, {"b"}, {"c"}, {"d"}}});
  const AllocationLog measured = log_of({{{"a"}, {"b"}}}, /*last_fails=*/true);
  EXPECT_TRUE(compare_logs(predicted, measured, strings, true).different.empty());
  EXPECT_EQ(compare_logs(predicted, measured, strings, true).pairs.size(), 2U);
  EXPECT_FALSE(compare_logs(predicted, measured, strings).different.empty());
}

TEST_F(LogComparisonTest, WhatNoDryRunCanSayIsExplained) {
  const AllocationLog predicted = log_of({{{"a"}}}, false, Phase::backward);
  const AllocationLog measured =
      log_of({{{"a"},
               {"aten::empty", 64, ""},
               {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", 64}}},
             false, Phase::backward);
  const LogComparison found = compare_logs(predicted, measured, strings);
  EXPECT_EQ(found.different.size(), 4U);
  EXPECT_EQ(found.unexplained, 0U);
  for (const std::uint32_t i : found.different)
    EXPECT_EQ(found.pairs[i].explanation, Explanation::thread_scratch);
}

// The alignment never loses or repeats an event, keeps both orders, and finds the planted number of
// differences.
TEST_F(LogComparisonTest, PlantedDifferencesAreFound) {
  std::mt19937 random(7);
  const char* const names[] = {"a", "b", "c", "d"};
  for (int round = 0; round < 100; ++round) {
    std::vector<Made> one;
    for (int i = 0; i < 200; ++i)
      one.push_back({names[random() % 4], 512 * static_cast<std::int64_t>(1 + random() % 4)});
    std::vector<Made> other = one;
    const auto planted = static_cast<std::size_t>(random() % 8);
    for (std::size_t i = 0; i < planted; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(random() % other.size());
      other.insert(other.begin() + at, Made{"new", 77});
    }
    const AllocationLog predicted = log_of({one}), measured = log_of({other});
    const LogComparison found = compare_logs(predicted, measured, strings);
    EXPECT_EQ(found.different.size(), 2 * planted);  // taken and freed
    EventIndex next_predicted = 0, next_measured = 0;
    for (const EventPair& pair : found.pairs) {
      if (pair.predicted != kNone) {
        EXPECT_EQ(pair.predicted, next_predicted++);
      }
      if (pair.measured != kNone) {
        EXPECT_EQ(pair.measured, next_measured++);
      }
    }
    EXPECT_EQ(next_predicted, predicted.events().size());
    EXPECT_EQ(next_measured, measured.events().size());
  }
}

TEST_F(LogComparisonTest, LogsWithNothingInCommonArePairedInOrder) {
  std::vector<Made> one, other;
  for (int i = 0; i < 2000; ++i) {
    one.push_back({"x", 512 + i});
    other.push_back({"y", 9'000'000 + i});
  }
  const LogComparison found = compare_logs(log_of({one}), log_of({other}), strings);
  EXPECT_FALSE(found.aligned);
  EXPECT_EQ(found.different.size(), 4000U);
}

}  // namespace
}  // namespace ts::memory
