#include "views/controls/memory_need.h"

#include <gtest/gtest.h>

namespace ts::views {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

run::Run with_peak(std::int64_t bytes) {
  run::Run run(run::StartedUpdate{});
  run::BatchUpdate update;
  memory::Record record;
  record.address = 1;
  record.size = bytes;
  update.batch.memory.push_back(record);
  record.action = memory::Action::free_completed;
  update.batch.memory.push_back(record);
  run.apply(std::move(update));
  return run;
}

run::Run ended(run::Verdict verdict, run::Failure failure = {}) {
  run::Run run = with_peak(900 * kMiB);
  run::FinishedUpdate end;
  end.verdict = verdict;
  end.failure = std::move(failure);
  run.apply(std::move(end));
  return run;
}

TEST(MemoryNeed, is_the_peak_when_the_run_ended_well) {
  const MemoryNeed need = memory_need(ended(run::Verdict::ok));
  EXPECT_EQ(need.bytes, 900 * kMiB);
  EXPECT_FALSE(need.at_least);
}

TEST(MemoryNeed, is_open_upwards_while_the_run_goes_on_and_when_it_was_cut_short) {
  EXPECT_TRUE(memory_need(with_peak(kMiB)).at_least);
  EXPECT_EQ(memory_need(with_peak(kMiB)).bytes, kMiB);
  EXPECT_TRUE(memory_need(ended(run::Verdict::cancelled)).at_least);
  EXPECT_TRUE(memory_need(ended(run::Verdict::failed)).at_least);
}

// A peak below the limit must never read as if the run had fitted.
TEST(MemoryNeed, counts_what_the_allocator_refused) {
  run::Failure failure;
  failure.bytes_limit = 1024 * kMiB;
  failure.bytes_free = 40 * kMiB;
  failure.bytes_asked = 48 * kMiB;
  const MemoryNeed need = memory_need(ended(run::Verdict::oom, failure));
  EXPECT_EQ(need.bytes, 1032 * kMiB);
  EXPECT_GT(need.bytes, failure.bytes_limit);
  EXPECT_TRUE(need.at_least);
}

TEST(MemoryNeed, is_unknown_before_the_first_allocation) {
  EXPECT_EQ(memory_need(run::Run(run::StartedUpdate{})).bytes, 0);
}

}  // namespace
}  // namespace ts::views
