#include "app/session/kept_runs.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/run/made_batch.h"
#include "tests/run/made_runs.h"

namespace ts::app {
namespace {

std::shared_ptr<run::Run> ended_run(run::RunId id, run::Verdict verdict) {
  auto run = std::make_shared<run::Run>(run::testing::made_run(spec::WorkloadSpec{}, 3, 4096));
  run->id = id;
  run->verdict = verdict;
  return run;
}

// The recording of a followed run can be read again.
TEST(KeptRuns, have_the_recording_of_a_run_that_was_followed) {
  base::StringTable strings;
  std::mt19937 random(4);
  KeptRuns runs;
  const auto run = ended_run(7, run::Verdict::ok);
  run::BatchUpdate update{7, run::testing::random_batch(random, strings, true, 60)};
  runs.follow(7, strings);
  runs.add(7, update.batch);
  runs.add(8, update.batch);  // of another one
  run->apply(std::move(update));
  runs.finish(ended_run(8, run::Verdict::ok));
  EXPECT_TRUE(runs.all().empty());
  runs.finish(run);
  ASSERT_EQ(runs.all().size(), 1U);
  base::StringTable others;
  const auto read = run::read_recording(*runs.all()[0].recording(), KeptRuns::next_id(), others);
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ((*read)->trace.slice_count(), run->trace.slice_count());
  runs.finish(run);
  EXPECT_EQ(runs.all().size(), 1U) << "once";
}

TEST(KeptRuns, without_a_result_are_not_kept_and_the_oldest_goes) {
  base::StringTable strings;
  KeptRuns runs;
  runs.follow(1, strings);
  runs.finish(ended_run(1, run::Verdict::cancelled));
  EXPECT_TRUE(runs.all().empty());
  for (run::RunId id = 2; id < 20; ++id) {
    runs.follow(id, strings);
    runs.finish(ended_run(id, run::Verdict::ok));
  }
  ASSERT_EQ(runs.all().size(), KeptRuns::kMost);
  EXPECT_EQ(runs.all().back().run->id, 19U);
  EXPECT_NE(KeptRuns::next_id(), KeptRuns::next_id());
}

}  // namespace
}  // namespace ts::app
