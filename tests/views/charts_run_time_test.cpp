#include "views/charts/run_time.h"

#include <gtest/gtest.h>

#include "core/allocator/snapshot_of_log.h"
#include "tests/memory/records.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

MemorySource of_file(const run::Run& run) {
  const base::StringTable strings;
  const text::Texts texts = testing::program_texts();
  ViewState state;
  ViewContext context{.run = &run,
                      .strings = strings,
                      .texts = texts,
                      .theme = theme(ThemeKind::dark),
                      .metrics = Metrics{1},
                      .state = state,
                      .target_name = {}};
  context.memory.kind = MemorySource::Kind::opened;
  context.memory.log = &run.memory;
  return memory_source(context);
}

TEST(RunTime, AFilesTimelineAndItsMemoryHaveOneClock) {
  run::Run run{run::StartedUpdate{}};
  run.memory.append(memory::testing::alloc(500, 1, 8));
  run.memory.append(memory::testing::alloc(600, 2, 8));
  EXPECT_EQ(of_file(run).range.begin, 500) << "a snapshot has no timeline";

  trace::Slice slice;
  slice.begin_ns = 100;
  slice.duration_ns = 1'000;
  ASSERT_TRUE(
      run.trace.append(run.trace.add_track({trace::TrackKind::cpu_thread, "main"}), 0, slice));
  EXPECT_EQ(of_file(run).range.begin, 100);
  EXPECT_EQ(of_file(run).range.end, 1'100);
}

// Where times count events: in predicted snapshots, and in those that PyTorch wrote without.
TEST(RunTime, SnapshotsOfPredictionsAndWithoutTimesHaveNoClock) {
  const base::StringTable strings;
  memory::AllocationLog log;
  log.append(memory::testing::alloc(5'000'000, 1, 8));
  log.append(memory::testing::alloc(6'000'000, 2, 8));
  allocator::Snapshot snapshot = allocator::snapshot_of(log, strings);
  EXPECT_TRUE(has_clock(snapshot));
  for (allocator::TraceEntry& entry : snapshot.device_traces.at(0)) entry.time_us = 0;
  EXPECT_FALSE(has_clock(snapshot));
  allocator::SnapshotOfLogOptions options;
  options.user_metadata = allocator::predicted_note("RTX 4090");
  EXPECT_FALSE(has_clock(allocator::snapshot_of(log, strings, options)));
}

}  // namespace
}  // namespace ts::views
