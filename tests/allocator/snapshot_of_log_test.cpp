#include "core/allocator/snapshot_of_log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/allocator/replay.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/io/temporary_folder.h"
#include "tests/memory/random_log.h"
#include "tests/memory/records.h"

namespace ts::allocator {
namespace {

using memory::testing::alloc;
using memory::testing::free;
using memory::testing::mark;
using memory::testing::owner;

std::string stack_as_text(const Snapshot& snapshot, StackIndex stack) {
  std::string words;
  for (const FrameIndex index : snapshot.stacks.stack(stack)) {
    const Frame& frame = snapshot.stacks.frame(index);
    words += std::string(snapshot.text(frame.filename)) + ":" + std::to_string(frame.line) + ":" +
             std::string(snapshot.text(frame.name)) + " ";
  }
  return words;
}

std::string category(const Snapshot& snapshot, const TraceEntry& entry) {
  return std::string(snapshot.text(snapshot.notes[entry.notes].category));
}

TEST(SnapshotOfLog, AllocationsHaveTheirOrigin) {
  base::StringTable strings;
  memory::AllocationLog log;
  log.append(mark(1'000'000, memory::Action::phase_begin, base::Phase::forward));
  memory::Record record = alloc(2'000'000, 0x1000, 3 << 20, base::Phase::forward);
  record.op = strings.intern("aten::bmm");
  record.module = strings.intern("blocks.3.attn");
  record.step = 2;
  log.append(record);
  log.append(owner(2'500'000, 0x1000, memory::Category::gradient));
  log.append(free(3'000'000, 0x1000));
  log.append(mark(4'000'000, memory::Action::phase_end, base::Phase::forward));

  SnapshotOfLogOptions options;
  options.unix_offset_ns = 5'000'000;
  const Snapshot snapshot = snapshot_of(log, strings, options);
  EXPECT_TRUE(has_modelled_segments(snapshot)) << "no allocator had them";
  EXPECT_FALSE(has_modelled_segments(Snapshot()));
  // As earlier versions wrote it; what was recorded has no phases among its frames.
  Snapshot earlier = snapshot;
  std::erase_if(earlier.allocator_settings, [&earlier](const SnapshotSetting& setting) {
    return earlier.text(setting.name) == kModelledSegments;
  });
  EXPECT_TRUE(has_modelled_segments(earlier));
  Snapshot recorded;
  Frame frame;
  frame.name = recorded.strings->intern("forward");
  frame.filename = recorded.strings->intern("/x/phase.py");
  const FrameIndex index = recorded.stacks.add_frame(frame);
  recorded.stacks.add_stack({});
  recorded.stacks.add_stack(std::span(&index, 1));
  EXPECT_FALSE(has_modelled_segments(recorded));
  const auto& trace = snapshot.device_traces.at(0);
  ASSERT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace[0].action, TraceAction::segment_alloc);
  EXPECT_EQ(trace[0].size, 20 << 20);
  EXPECT_EQ(category(snapshot, trace[0]), "unknown");
  EXPECT_EQ(trace[1].action, TraceAction::alloc);
  EXPECT_EQ(trace[1].size, 3 << 20);
  EXPECT_EQ(trace[1].time_us, 7000);
  EXPECT_EQ(category(snapshot, trace[1]), "gradient");
  EXPECT_EQ(stack_as_text(snapshot, trace[1].stack),
            "operator:0:aten::bmm module:0:blocks.3.attn module:0:blocks.3 module:0:blocks "
            "phase:0:forward step:2:step ");
  EXPECT_EQ(trace[2].action, TraceAction::free_requested);
  EXPECT_EQ(trace[3].action, TraceAction::free_completed);
  EXPECT_EQ(trace[3].stack, trace[1].stack);
  ASSERT_EQ(snapshot.external_annotations.size(), 2U);
  EXPECT_EQ(snapshot.text(snapshot.external_annotations[0].name), "forward");
  EXPECT_EQ(snapshot.external_annotations[1].time_us, 9000);
}

TEST(SnapshotOfLog, AnOutOfMemoryIsRecorded) {
  base::StringTable strings;
  memory::AllocationLog log;
  log.append(alloc(1, 0x1000, 1 << 20));
  memory::Record refused = mark(2, memory::Action::oom);
  refused.size = 1 << 30;
  refused.op = strings.intern("aten::mm");
  log.append(refused);
  SnapshotOfLogOptions options;
  options.memory_limit = 5 << 20;
  const Snapshot snapshot = snapshot_of(log, strings, options);
  const TraceEntry& oom = snapshot.device_traces.at(0).back();
  EXPECT_EQ(oom.action, TraceAction::oom);
  EXPECT_EQ(oom.size, 1 << 30);
  EXPECT_EQ(oom.address, 4U << 20U);
  EXPECT_EQ(stack_as_text(snapshot, oom.stack), "operator:0:aten::mm phase:0:setup ");
}

// Whatever the log holds: the blocks at the end are those that live, the trace has each of its
// events, and the replay of what was written agrees with it.
TEST(SnapshotOfLog, HoldsWhatTheLogHolds) {
  const base::StringTable strings;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const memory::AllocationLog log = memory::testing::random_log(seed, 2000);
    const Snapshot snapshot = snapshot_of(log, strings);
    std::int64_t live = 0;
    std::int64_t asked = 0;
    for (const memory::Block& block : log.blocks())
      live += block.free_event == memory::kNone ? block.size : 0;
    for (const SnapshotSegment& segment : snapshot.segments) asked += segment.requested_size;
    EXPECT_EQ(asked, live);
    std::int64_t now = 0;
    std::int64_t peak = 0;
    std::set<std::string> categories;
    for (const TraceEntry& entry : snapshot.device_traces.at(0)) {
      if (entry.action == TraceAction::alloc) now += entry.size;
      if (entry.action == TraceAction::free_completed) now -= entry.size;
      peak = std::max(peak, now);
      categories.insert(category(snapshot, entry));
    }
    EXPECT_EQ(peak, log.peak_bytes());
    EXPECT_TRUE(categories.contains("unknown"));
    const auto result = replay(snapshot, 0);
    ASSERT_TRUE(result) << result.error().sentence;
    EXPECT_FALSE(result->first_difference);
    EXPECT_EQ(result->other_addresses, 0);
    EXPECT_EQ(result->odd_events, 0);
  }
}

TEST(SnapshotOfLog, APredictionIsMarkedAsOne) {
  base::StringTable strings;
  memory::AllocationLog log;
  log.append(memory::testing::alloc(0, 0x1000, 700));
  EXPECT_FALSE(has_predicted_note(snapshot_of(log, strings)));
  SnapshotOfLogOptions options;
  options.user_metadata = predicted_note("RTX 4090");
  EXPECT_TRUE(has_predicted_note(snapshot_of(log, strings, options)));
}

TEST(SnapshotOfLog, AnEmptyLogIsAnEmptySnapshot) {
  const Snapshot snapshot = snapshot_of(memory::AllocationLog(), base::StringTable());
  EXPECT_TRUE(snapshot.segments.empty());
  EXPECT_EQ(snapshot.entry_count(), 0U);
}

// PyTorch's own script prints the log, the segments and the flame graphs of what is written.
TEST(SnapshotOfLog, PyTorchsViewerReadsIt) {
  const base::StringTable strings;
  const Snapshot snapshot = snapshot_of(memory::testing::random_log(3, 3000), strings);
  const io::testing::TemporaryFolder folder;
  const auto path = folder / "run.pickle";
  ASSERT_TRUE(snapshot::write_snapshot(path, snapshot, snapshot::SnapshotFormat::pickle));
  const std::string command = "python3 -B '" TENSORSCOPE_SNAPSHOT_CHECK "' viewer '" +
                              path.string() + "' '" TENSORSCOPE_MEMORY_VIZ "' > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  constexpr int kCannotLook = 77;
  if (!WIFEXITED(status) || WEXITSTATUS(status) == kCannotLook || WEXITSTATUS(status) == 127) {
    GTEST_SKIP() << "needs python3 and PyTorch's _memory_viz.py";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ts::allocator
