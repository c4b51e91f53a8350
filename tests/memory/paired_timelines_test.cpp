// Two logs on one axis.
#include "core/memory/paired_timelines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/memory/random_log.h"
#include "tests/memory/records.h"

namespace ts::memory {
namespace {

using base::Phase;

// Set-up, then `steps` of forward and backward; `blocks` of `size` in each forward.
AllocationLog steps_of(int steps, int blocks, std::int64_t size) {
  AllocationLog log;
  std::int64_t time = 0;
  log.append(testing::mark(++time, Action::phase_begin, Phase::setup));
  log.append(testing::alloc(++time, 1, 1000));
  for (int step = 0; step < steps; ++step) {
    log.append(testing::mark(++time, Action::phase_begin, Phase::forward));
    for (int i = 0; i < blocks; ++i) {
      Record record =
          testing::alloc(++time, 100 + static_cast<std::uint64_t>(i), size, Phase::forward, true);
      record.step = step;
      log.append(record);
    }
    log.append(testing::mark(++time, Action::phase_begin, Phase::backward));
    for (int i = 0; i < blocks; ++i) {
      Record record = testing::free(++time, 100 + static_cast<std::uint64_t>(i));
      record.phase = Phase::backward;
      record.step = step;
      log.append(record);
    }
  }
  return log;
}

std::int64_t highest(const std::vector<std::int64_t>& totals) {
  return *std::ranges::max_element(totals);
}

TEST(PairedTimelines, the_same_phases_stand_over_each_other) {
  const AllocationLog few = steps_of(2, 2, 4000);
  const AllocationLog many = steps_of(3, 10, 300);
  const PairedTimelines axis = pair_timelines(few, many);
  ASSERT_TRUE(axis.by_phase);
  ASSERT_EQ(axis.parts.size(), few.phases().size()) << "as far as the shorter one goes";
  double sum = 0;
  for (const PairedPart& part : axis.parts) {
    EXPECT_GT(part.width, 0);
    sum += part.width;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  constexpr std::size_t kColumns = 400;
  const auto a = totals_on_axis(few, axis, 0, kColumns);
  const auto b = totals_on_axis(many, axis, 1, kColumns);
  EXPECT_EQ(highest(a), 9000);
  EXPECT_EQ(highest(b), 4000);
  // Each has its peak where its first forward ends, so both at one place of the axis.
  const auto place = [](const std::vector<std::int64_t>& totals) {
    return std::ranges::max_element(totals) - totals.begin();
  };
  EXPECT_NEAR(static_cast<double>(place(a)), static_cast<double>(place(b)), kColumns * 0.12);
}

TEST(PairedTimelines, other_phases_are_drawn_each_over_its_own_events) {
  AllocationLog forward;
  forward.append(testing::alloc(1, 1, 500, Phase::forward));
  const AllocationLog whole = steps_of(1, 3, 100);
  const PairedTimelines axis = pair_timelines(forward, whole);
  EXPECT_FALSE(axis.by_phase);
  ASSERT_EQ(axis.parts.size(), 1U);
  EXPECT_EQ(axis.parts[0].of[1].end, whole.events().size());
  EXPECT_EQ(highest(totals_on_axis(forward, axis, 0, 50)), 500);
  EXPECT_EQ(highest(totals_on_axis(whole, axis, 1, 50)), whole.peak_bytes());
  EXPECT_EQ(highest(totals_on_axis(AllocationLog(), pair_timelines({}, whole), 0, 50)), 0);
}

// All columns together reach the peak of the events on the axis, and none is above it, for any log.
TEST(PairedTimelines, no_column_hides_or_invents_a_peak) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    testing::RandomRecords a(seed);
    testing::RandomRecords b(seed + 1000);
    AllocationLog first, second;
    for (int i = 0; i < 400; ++i) first.append(a.next());
    for (int i = 0; i < 300; ++i) second.append(b.next());
    const PairedTimelines axis = pair_timelines(first, second);
    const auto end = axis.parts.back().of[0].end;
    std::int64_t most = 0;
    for (EventIndex event = 0; event < end; ++event)
      most = std::max(most, first.events()[event].total_after);
    for (const std::size_t columns : {1U, 7U, 200U, 3000U})
      EXPECT_EQ(highest(totals_on_axis(first, axis, 0, columns)), most) << seed << " " << columns;
  }
}

}  // namespace
}  // namespace ts::memory
