#include "views/charts/run_time.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ts::views
