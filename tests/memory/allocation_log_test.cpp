#include "core/memory/allocation_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/memory/before_backward.h"
#include "core/memory/first_step.h"
#include "tests/memory/records.h"

namespace ts::memory {
namespace {

using testing::alloc;
using ::testing::ElementsAre;
using testing::free;
using ::testing::IsEmpty;
using testing::mark;
using testing::owner;

TEST(AllocationLog, an_empty_log_has_nothing) {
  const AllocationLog log;
  EXPECT_THAT(log.events(), IsEmpty());
  EXPECT_EQ(log.current_bytes(), 0);
  EXPECT_EQ(log.peak_bytes(), 0);
  EXPECT_EQ(log.peak_event(), kNone);
  EXPECT_EQ(log.event_at(100), kNone);
  EXPECT_THAT(log.live_after(kNone), IsEmpty());
  EXPECT_TRUE(log.time_range().empty());
  EXPECT_FALSE(log.out_of_memory().has_value());
  EXPECT_EQ(log.version(), 0U);
}

// A step that broke off before its backward has no such figure: an earlier one's is not its own.
TEST(AllocationLog, before_backward_is_of_the_last_step_or_of_none) {
  AllocationLog log;
  const auto phase = [&log](Action action, base::Phase which, std::int32_t step) {
    Record record = mark(static_cast<std::int64_t>(log.events().size()) * 10, action, which);
    record.step = step;
    log.append(record);
  };
  phase(Action::phase_begin, base::Phase::forward, 0);
  log.append(alloc(11, 0xA, 100));
  phase(Action::phase_end, base::Phase::forward, 0);
  EXPECT_FALSE(before_backward(log));
  phase(Action::phase_begin, base::Phase::backward, 0);
  log.append(alloc(21, 0xB, 7));
  phase(Action::phase_end, base::Phase::backward, 0);
  phase(Action::phase_begin, base::Phase::optimizer, 0);
  phase(Action::phase_end, base::Phase::optimizer, 0);
  ASSERT_TRUE(before_backward(log));
  EXPECT_EQ(before_backward(log)->bytes, 100);
  phase(Action::phase_begin, base::Phase::forward, 1);
  log.append(alloc(31, 0xC, 900));
  EXPECT_FALSE(before_backward(log)) << "step 1 has not come to its own";
}

// Parameters of 100 bytes, activations of 50; the optimizer makes 200 bytes at the end of step 0.
TEST(AllocationLog, the_first_step_is_told_where_later_ones_need_more) {
  AllocationLog log;
  std::int64_t time = 0;
  const auto in_phase = [&](base::Phase phase, std::int32_t step, const auto& events) {
    Record begin = mark(++time, Action::phase_begin, phase);
    begin.step = step;
    log.append(begin);
    events();
    Record end = mark(++time, Action::phase_end, phase);
    end.step = step;
    log.append(end);
  };
  log.append(alloc(++time, 1, 100));
  const auto forward = [&] {
    log.append(alloc(++time, 2, 50, base::Phase::forward));
    log.append(free(++time, 2));
  };
  in_phase(base::Phase::forward, 0, forward);
  EXPECT_FALSE(first_step(log)) << "there is no other";
  in_phase(base::Phase::forward, 1, forward);
  EXPECT_FALSE(first_step(log)) << "both are alike";
  in_phase(base::Phase::optimizer, 1, [&] { log.append(alloc(++time, 3, 200)); });
  in_phase(base::Phase::forward, 2, forward);
  ASSERT_TRUE(first_step(log));
  EXPECT_EQ(first_step(log)->bytes, 150);
  EXPECT_EQ(log.peak_bytes(), 350);
}

TEST(AllocationLog, totals_peak_and_lives_follow_the_events) {
  AllocationLog log;
  log.append(alloc(10, 0xA, 100));
  log.append(alloc(20, 0xB, 50));
  log.append(free(30, 0xA));
  log.append(alloc(40, 0xC, 70));

  EXPECT_EQ(log.current_bytes(), 120);
  EXPECT_EQ(log.peak_bytes(), 150);
  EXPECT_EQ(log.peak_event(), 1U);
  EXPECT_THAT(log.live_after(1), ElementsAre(0, 1));
  EXPECT_THAT(log.live_after(2), ElementsAre(1));
  EXPECT_THAT(log.live_after(3), ElementsAre(1, 2));
  EXPECT_EQ(log.blocks()[0].free_event, 2U);
  EXPECT_EQ(log.blocks()[1].free_event, kNone);
  EXPECT_EQ(log.events()[2].total_after, 50);
  EXPECT_EQ(log.time_range(), (base::TimeRange{10, 41}));
}

TEST(AllocationLog, an_equal_peak_later_does_not_move_the_peak) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(free(2, 0xA));
  log.append(alloc(3, 0xA, 100));
  EXPECT_EQ(log.peak_event(), 0U);
}

TEST(AllocationLog, a_reused_address_is_a_new_block_without_the_old_owner) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(owner(2, 0xA, Category::parameter));
  log.append(free(3, 0xA));
  log.append(alloc(4, 0xA, 30));
  ASSERT_EQ(log.blocks().size(), 2U);
  EXPECT_EQ(log.blocks()[0].category, Category::parameter);
  EXPECT_EQ(log.blocks()[1].category, Category::unknown);
  EXPECT_EQ(log.current_bytes(), 30);
}

TEST(AllocationLog, a_free_without_alloc_is_an_event_that_changes_no_total) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(free(2, 0xB));
  EXPECT_EQ(log.unmatched_frees(), 1U);
  ASSERT_EQ(log.events().size(), 2U);
  EXPECT_EQ(log.events()[1].block, kNone);
  EXPECT_EQ(log.events()[1].total_after, 100);
}

TEST(AllocationLog, an_alloc_at_a_live_address_means_a_lost_free) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(alloc(5, 0xA, 30));
  EXPECT_EQ(log.missed_frees(), 1U);
  ASSERT_EQ(log.events().size(), 3U);
  EXPECT_EQ(log.events()[1].action, Action::free_completed);
  EXPECT_EQ(log.events()[1].total_after, 0);
  EXPECT_EQ(log.events()[1].time_ns, 5);
  EXPECT_EQ(log.blocks()[0].free_event, 1U);
  EXPECT_THAT(log.live_after(2), ElementsAre(1));
  log.append(free(6, 0xA));
  EXPECT_EQ(log.current_bytes(), 0);
}

TEST(AllocationLog, free_requested_and_segments_change_no_block) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  const auto version = log.version();
  Record requested = free(2, 0xA);
  requested.action = Action::free_requested;
  log.append(requested);
  EXPECT_EQ(log.version(), version);
  log.append(mark(3, Action::segment_alloc));
  log.append(mark(4, Action::snapshot));
  EXPECT_EQ(log.current_bytes(), 100);
  EXPECT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.live_after(0).size(), 1U);
}

TEST(AllocationLog, times_never_run_back) {
  AllocationLog log;
  log.append(alloc(100, 0xA, 1));
  log.append(alloc(90, 0xB, 1));
  log.append(alloc(110, 0xC, 1));
  EXPECT_EQ(log.events()[1].time_ns, 100);
  EXPECT_EQ(log.event_at(99), kNone);
  EXPECT_EQ(log.event_at(100), 1U);
  EXPECT_EQ(log.event_at(109), 1U);
  EXPECT_EQ(log.event_at(1000), 2U);
}

TEST(AllocationLog, the_first_refusal_is_kept) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  Record oom = mark(2, Action::oom, base::Phase::forward);
  oom.size = 4096;
  oom.op = 7;
  oom.module = 8;
  log.append(oom);
  oom.size = 1;
  log.append(oom);
  ASSERT_TRUE(log.out_of_memory().has_value());
  EXPECT_EQ(log.out_of_memory()->event, 1U);
  EXPECT_EQ(log.out_of_memory()->bytes_asked, 4096);
  EXPECT_EQ(log.out_of_memory()->op, 7U);
  EXPECT_EQ(log.out_of_memory()->module, 8U);
  EXPECT_EQ(log.events()[1].total_after, 100);
  EXPECT_EQ(log.events()[1].block, kNone);
}

TEST(AllocationLog, phases_are_spans_of_events) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(mark(2, Action::phase_begin, base::Phase::forward));
  log.append(alloc(3, 0xB, 100, base::Phase::forward));
  ASSERT_EQ(log.phases().size(), 1U);
  EXPECT_EQ(log.phases()[0].end_event, kNone);
  log.append(mark(4, Action::phase_end, base::Phase::forward));
  log.append(mark(5, Action::phase_begin, base::Phase::loss));
  // The end of the loss is lost.
  log.append(mark(7, Action::phase_begin, base::Phase::backward));
  ASSERT_EQ(log.phases().size(), 3U);
  EXPECT_EQ(log.phases()[0].first_event, 1U);
  EXPECT_EQ(log.phases()[0].end_event, 2U);
  EXPECT_EQ(log.phases()[0].begin_ns, 2);
  EXPECT_EQ(log.phases()[0].end_ns, 4);
  EXPECT_EQ(log.phases()[1].end_event, 2U);
  EXPECT_EQ(log.phases()[1].end_ns, 7);
  EXPECT_EQ(log.phases()[2].end_ns, 0);
}

TEST(BeforeBackward, is_what_lives_when_the_last_one_begins) {
  AllocationLog log;
  EXPECT_FALSE(before_backward(log));
  log.append(alloc(1, 0xA, 100));
  for (const std::int64_t begin : {2, 12}) {
    log.append(mark(begin, Action::phase_begin, base::Phase::forward));
    log.append(alloc(begin + 1, 0xB, 10, base::Phase::forward, true));
    log.append(alloc(begin + 2, 0xC, 5, base::Phase::forward));
    log.append(free(begin + 3, 0xC));
    log.append(mark(begin + 4, Action::phase_end, base::Phase::forward));
    EXPECT_EQ(before_backward(log).has_value(), begin > 2);
    log.append(mark(begin + 5, Action::phase_begin, base::Phase::backward));
    // One gradient stays from each.
    log.append(
        alloc(begin + 6, 0x100 + static_cast<std::uint64_t>(begin), 1000, base::Phase::backward));
    log.append(free(begin + 7, 0xB));
    log.append(mark(begin + 8, Action::phase_end, base::Phase::backward));
    ASSERT_TRUE(before_backward(log));
    EXPECT_EQ(before_backward(log)->bytes, begin == 2 ? 110 : 1110);
    EXPECT_EQ(log.events()[before_backward(log)->event].total_after, before_backward(log)->bytes);
  }
}

TEST(AllocationLog, what_a_backward_runs_again_is_a_span_with_its_modules) {
  AllocationLog log;
  const auto in_module = [](Record record, base::StringId module) {
    record.module = module;
    return record;
  };
  const auto backward = base::Phase::backward;
  log.append(alloc(1, 0xA, 8, base::Phase::forward, /*graph_kept=*/true));
  EXPECT_TRUE(log.recomputations().empty()) << "a forward runs for the first time";
  log.append(mark(2, Action::phase_begin, backward));
  log.append(alloc(3, 0xB, 8, backward));
  log.append(in_module(alloc(4, 0xC, 8, backward, true), 7));
  EXPECT_EQ(log.recomputations().back().end_event, kNone);
  // Marks that are no event neither begin nor end one.
  log.append(owner(5, 0xC, Category::gradient));
  log.append(alloc(6, 0xD, 8, backward, true));
  log.append(in_module(alloc(7, 0xE, 8, backward, true), 9));
  Record freed = free(8, 0xC);
  freed.phase = backward;
  log.append(freed);
  log.append(in_module(alloc(9, 0xF, 8, backward, true), 5));
  log.append(mark(10, Action::phase_end, backward));
  ASSERT_EQ(log.recomputations().size(), 2U);
  const RecomputeSpan& first = log.recomputations()[0];
  EXPECT_EQ(first.first_event, 2U);
  EXPECT_EQ(first.end_event, 5U);
  EXPECT_EQ(first.begin_ns, 4);
  EXPECT_EQ(first.end_ns, 8);
  EXPECT_EQ(first.first_module, 7U);
  EXPECT_EQ(first.last_module, 9U);
  EXPECT_EQ(log.recomputations()[1].first_event, 6U);
  EXPECT_EQ(log.recomputations()[1].end_event, 7U);
  EXPECT_EQ(log.recomputations()[1].end_ns, 10);
}

TEST(AllocationLog, the_version_grows_when_a_category_changes_after_the_fact) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  const auto before = log.version();
  log.append(owner(2, 0xA, Category::parameter));
  EXPECT_GT(log.version(), before);
  const auto after = log.version();
  log.append(owner(3, 0xA, Category::parameter));
  EXPECT_EQ(log.version(), after);
}

TEST(AllocationLog, an_owner_of_an_unknown_address_is_counted_and_changes_no_block) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  log.append(owner(2, 0xB, Category::parameter));
  EXPECT_EQ(log.unmatched_owners(), 1U);
  EXPECT_EQ(log.blocks()[0].category, Category::unknown);
}

TEST(AllocationLog, moves_with_its_contents) {
  AllocationLog log;
  log.append(alloc(1, 0xA, 100));
  AllocationLog other = std::move(log);
  other.append(free(2, 0xA));
  EXPECT_EQ(other.current_bytes(), 0);
  EXPECT_EQ(other.peak_bytes(), 100);
}

}  // namespace
}  // namespace ts::memory
