#include "core/allocator/log_of_snapshot.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/allocator/snapshot_figures.h"
#include "core/allocator/snapshot_of_log.h"
#include "tests/memory/random_log.h"
#include "tests/memory/records.h"

namespace ts::allocator {
namespace {

// A trace entry with a stack of (function, file, line), innermost first.
struct Line {
  const char* function;
  const char* file;
  std::int64_t line;
};
StackIndex stack(Snapshot& snapshot, const std::vector<Line>& lines) {
  std::vector<FrameIndex> frames;
  for (const Line& line : lines) {
    Frame frame;
    frame.name = snapshot.strings->intern(line.function);
    frame.filename = snapshot.strings->intern(line.file);
    frame.line = line.line;
    frames.push_back(snapshot.stacks.add_frame(frame));
  }
  return snapshot.stacks.add_stack(frames);
}

Snapshot with_events(const Trace& entries) {
  Snapshot snapshot;
  snapshot.notes.add({});
  snapshot.device_traces = {entries};
  return snapshot;
}

TraceEntry entry(TraceAction action, std::uint64_t address, std::int64_t size, std::int64_t time) {
  TraceEntry made;
  made.action = action;
  made.address = address;
  made.size = size;
  made.time_us = time;
  return made;
}

// A written run comes back: every event with its bytes, operator, module, step and category.
TEST(LogOfSnapshot, GivesBackWhatARunWrote) {
  base::StringTable strings;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const memory::AllocationLog log = memory::testing::random_log(seed, 2000);
    const Snapshot snapshot = snapshot_of(log, strings);
    const SnapshotLog back = log_of_snapshot(snapshot, 0);
    EXPECT_EQ(back.log.peak_bytes(), log.peak_bytes());
    EXPECT_EQ(back.log.current_bytes(), log.current_bytes());
    EXPECT_EQ(back.blocks_before, 0);
    EXPECT_EQ(back.log.unmatched_frees(), 0U);
    std::vector<memory::Block> written;  // what a snapshot has: blocks with bytes
    for (const memory::Block& block : log.blocks()) {
      if (block.size > 0) written.push_back(block);
    }
    const auto read = back.log.blocks();
    ASSERT_EQ(read.size(), written.size());
    ASSERT_EQ(back.stacks.size(), written.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].size, written[i].size);
      EXPECT_EQ(read[i].category, written[i].category) << i;
      EXPECT_EQ(read[i].phase, written[i].phase);
      EXPECT_EQ(read[i].step, written[i].step);
      EXPECT_EQ(read[i].free_event == memory::kNone, written[i].free_event == memory::kNone);
    }
  }
}

// Until 2023 PyTorch wrote none. What the allocator holds of the device keeps its place, too.
TEST(LogOfSnapshot, WithoutTimesEventsAreCounted) {
  const Snapshot snapshot = with_events({entry(TraceAction::segment_alloc, 0x1000, 1 << 20, 0),
                                         entry(TraceAction::alloc, 0x1000, 512, 0),
                                         entry(TraceAction::alloc, 0x2000, 512, 0),
                                         entry(TraceAction::segment_alloc, 0x9000, 2 << 20, 0),
                                         entry(TraceAction::free_completed, 0x1000, 512, 0)});
  EXPECT_FALSE(has_times(snapshot));
  const SnapshotLog counted = log_of_snapshot(snapshot, 0);
  const auto events = counted.log.events();
  ASSERT_EQ(events.size(), 3U);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].time_ns, static_cast<std::int64_t>(i));
    EXPECT_EQ(counted.log.event_at(events[i].time_ns), i);
  }
  EXPECT_EQ(counted.log.reserved().back().time_ns, 2);
  Snapshot timed = snapshot;
  timed.device_traces[0].back().time_us = 7;
  EXPECT_TRUE(has_times(timed));
  EXPECT_EQ(log_of_snapshot(timed, 0).log.events().back().time_ns, 7'000);
}

// Nothing has a width on an axis of one time.
TEST(LogOfSnapshot, WhereAllTimesAreOneEventsAreCounted) {
  const Snapshot snapshot = with_events({entry(TraceAction::alloc, 0x1000, 512, 9),
                                         entry(TraceAction::alloc, 0x2000, 512, 9),
                                         entry(TraceAction::free_completed, 0x1000, 512, 9)});
  EXPECT_FALSE(has_times(snapshot));
  const SnapshotLog counted = log_of_snapshot(snapshot, 0);
  EXPECT_EQ(counted.log.events().back().time_ns, 2);
  Snapshot later = snapshot;
  later.device_traces.push_back(snapshot.device_traces[0]);
  for (TraceEntry& one : later.device_traces[1]) one.time_us = 11;
  EXPECT_TRUE(has_times(later)) << "the devices have one clock";
}

// The memory view and the list of the allocator's events name an event by the same number.
TEST(LogOfSnapshot, EventsHaveTheirNumbersInTheTrace) {
  const Snapshot snapshot = with_events({entry(TraceAction::segment_alloc, 0x1000, 1 << 20, 1),
                                         entry(TraceAction::alloc, 0x1000, 512, 2),
                                         entry(TraceAction::free_requested, 0x1000, 512, 3),
                                         entry(TraceAction::free_completed, 0x1000, 512, 3),
                                         entry(TraceAction::free_requested, 0x8000, 64, 4),
                                         entry(TraceAction::free_completed, 0x8000, 64, 4),
                                         entry(TraceAction::oom, 0, 1 << 30, 5)});
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  ASSERT_EQ(log.blocks_before, 1);
  EXPECT_EQ(log.event_entries, (std::vector<std::uint32_t>{0, 1, 3, 5, 6}));
  EXPECT_EQ(log.event_entries.size(), log.log.events().size());
}

TEST(LogOfSnapshot, OperatorAndModuleComeFromOurFrames) {
  base::StringTable strings;
  memory::AllocationLog log;
  memory::Record record = memory::testing::alloc(2'000'000, 0x1000, 3 << 20, base::Phase::backward);
  record.op = strings.intern("aten::bmm");
  record.module = strings.intern("blocks.3.attn");
  record.step = 2;
  log.append(record);
  const Snapshot snapshot = snapshot_of(log, strings);
  const SnapshotLog back = log_of_snapshot(snapshot, 0);
  const memory::Block& block = back.log.blocks()[0];
  EXPECT_EQ(snapshot.text(block.op), "aten::bmm");
  EXPECT_EQ(snapshot.text(block.module), "blocks.3.attn");
  EXPECT_EQ(block.step, 2);
  EXPECT_EQ(block.phase, base::Phase::backward);
}

TEST(LogOfSnapshot, FramesOfPyTorchTellOperatorAndLine) {
  Snapshot snapshot = with_events({entry(TraceAction::alloc, 1, 100, 5)});
  snapshot.device_traces[0][0].stack =
      stack(snapshot, {{"at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)", "??", 0},
                       {"at::_ops::addmm::redispatch(c10::DispatchKeySet)", "??", 0},
                       {"at::_ops::linear::call(at::Tensor const&)", "??", 0},
                       {"forward", "/usr/lib/python3/site-packages/torch/nn/linear.py", 116},
                       {"forward", "/data/course/model.py", 42},
                       {"at::_ops::ignored::call()", "??", 0},
                       {"main", "/data/course/train.py", 7}});
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  const memory::Block& block = log.log.blocks()[0];
  EXPECT_EQ(snapshot.text(block.op), "aten::linear") << "what Python called";
  EXPECT_EQ(snapshot.text(block.module), "model.py:42 forward");
  EXPECT_EQ(block.category, memory::Category::unknown) << "nothing is guessed";
  EXPECT_EQ(block.phase, base::Phase::idle) << "not known";
}

TEST(LogOfSnapshot, AutogradAndOptimizersOnTheStackTellThePhase) {
  Snapshot snapshot =
      with_events({entry(TraceAction::alloc, 1, 1, 5), entry(TraceAction::alloc, 2, 1, 6)});
  snapshot.device_traces[0][0].stack = stack(
      snapshot,
      {{"at::_ops::mm::call()", "??", 0}, {"torch::autograd::Engine::thread_main(...)", "??", 0}});
  snapshot.device_traces[0][1].stack =
      stack(snapshot, {{"step", "/x/torch/optim/adamw.py", 10}, {"main", "/x/train.py", 1}});
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  EXPECT_EQ(log.log.blocks()[0].phase, base::Phase::backward);
  EXPECT_EQ(log.log.blocks()[1].phase, base::Phase::optimizer);
}

// The stack of a free says nothing of what the block was for.
TEST(LogOfSnapshot, ABlockThatIsOnlyFreedHasNoModuleAndNoPhase) {
  Snapshot snapshot = with_events({entry(TraceAction::free_completed, 0x200, 20, 60)});
  const StackIndex freed =
      stack(snapshot, {{"step", "/x/torch/optim/adamw.py", 10}, {"main", "/x/train.py", 1}});
  snapshot.device_traces[0][0].stack = freed;
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  const memory::Block& block = log.log.blocks()[0];
  EXPECT_EQ(block.module, base::kNoString);
  EXPECT_EQ(block.phase, base::Phase::idle);
  EXPECT_EQ(log.stacks.at(0), memory::kNone);
  EXPECT_EQ(log.free_stacks.at(0), freed);
}

// With a context of "alloc" PyTorch gives a free the stack of its allocation.
TEST(LogOfSnapshot, AFreeWithTheStackOfItsAllocationTellsWhereThatWas) {
  Snapshot snapshot = with_events({entry(TraceAction::alloc, 0x100, 10, 50),
                                   entry(TraceAction::free_completed, 0x200, 20, 60),
                                   entry(TraceAction::free_completed, 0x100, 10, 70)});
  const StackIndex one = stack(snapshot, {{"main", "/x/train.py", 1}});
  const StackIndex two = stack(snapshot, {{"main", "/x/train.py", 2}});
  snapshot.device_traces[0][0].stack = one;
  snapshot.device_traces[0][1].stack = two;
  snapshot.device_traces[0][2].stack = one;
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  EXPECT_EQ(log.stacks.at(0), two);
  EXPECT_TRUE(log.free_stacks.empty());
  EXPECT_EQ(snapshot.text(log.log.blocks()[0].module), "train.py:2 main");
}

// A ring buffer that forgot the beginning: blocks it frees, and blocks that only the segments have.
TEST(LogOfSnapshot, BlocksFromBeforeTheTraceAreThereFromItsBeginning) {
  Snapshot snapshot = with_events({entry(TraceAction::alloc, 0x100, 10, 50),
                                   entry(TraceAction::free_completed, 0x200, 20, 60),
                                   entry(TraceAction::free_completed, 0x100, 10, 70)});
  SnapshotSegment segment;
  segment.address = 0x300;
  segment.total_size = 4096;
  segment.blocks = {{0x300, 512, 30, memory::kNone, BlockState::active_allocated},
                    {0x500, 512, 0, memory::kNone, BlockState::active_pending_free},
                    {0x700, 512, 7, memory::kNone, BlockState::inactive}};
  snapshot.segments = {segment};
  SnapshotSegment elsewhere = segment;
  elsewhere.device = 1;
  snapshot.segments.push_back(elsewhere);
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  EXPECT_EQ(log.blocks_before, 3);
  EXPECT_EQ(log.bytes_before, 20 + 30 + 512);
  EXPECT_EQ(log.log.peak_bytes(), 20 + 30 + 512 + 10);
  EXPECT_EQ(log.log.current_bytes(), 30 + 512);
  EXPECT_EQ(log.log.unmatched_frees(), 0U);
  EXPECT_EQ(log.log.time_range().begin, 50'000);
  EXPECT_EQ(log.end_reserved, 4096);
  EXPECT_EQ(log_of_snapshot(snapshot, 1).blocks_before, 2) << "segments without a trace";
  EXPECT_TRUE(log_of_snapshot(snapshot, 2).log.events().empty());
}

TEST(LogOfSnapshot, ReservedAtThePeakIsFoundBackwards) {
  Snapshot snapshot = with_events(
      {entry(TraceAction::segment_alloc, 1, 100, 1), entry(TraceAction::segment_map, 2, 50, 2),
       entry(TraceAction::segment_unmap, 2, 50, 3), entry(TraceAction::segment_free, 1, 100, 4)});
  SnapshotSegment segment;
  segment.total_size = 30;
  snapshot.segments = {segment};
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  EXPECT_EQ(log.peak_reserved, 180);
  EXPECT_EQ(log.end_reserved, 30);
}

TEST(LogOfSnapshot, AnOutOfMemoryAndPhasesAreKept) {
  base::StringTable strings;
  memory::AllocationLog log;
  log.append(memory::testing::mark(1'000'000, memory::Action::phase_begin, base::Phase::forward));
  log.append(memory::testing::alloc(2'000'000, 0x1000, 1 << 20, base::Phase::forward));
  memory::Record refused = memory::testing::mark(3'000'000, memory::Action::oom);
  refused.size = 1 << 30;
  refused.op = strings.intern("aten::mm");
  log.append(refused);
  log.append(memory::testing::mark(4'000'000, memory::Action::phase_end, base::Phase::forward));
  const Snapshot snapshot = snapshot_of(log, strings);
  const SnapshotLog back = log_of_snapshot(snapshot, 0);
  ASSERT_TRUE(back.log.out_of_memory());
  EXPECT_EQ(back.log.out_of_memory()->bytes_asked, 1 << 30);
  EXPECT_EQ(snapshot.text(back.log.out_of_memory()->op), "aten::mm");
  ASSERT_EQ(back.log.phases().size(), 1U);
  EXPECT_EQ(back.log.phases()[0].phase, base::Phase::forward);
  EXPECT_EQ(back.log.phases()[0].begin_ns, 1'000'000);
  EXPECT_EQ(back.log.phases()[0].end_ns, 4'000'000);
}

// A block taken between the optimizer and the end of a step is no part of the next forward.
TEST(LogOfSnapshot, AGuessedPhaseDoesNotReachBackIntoTheStepBefore) {
  Snapshot snapshot = with_events({});
  const StackIndex model = stack(snapshot, {{"forward", "/x/model.py", 7},
                                            {"_call_impl", "/x/torch/nn/modules/module.py", 9}});
  const StackIndex backward =
      stack(snapshot, {{"torch::autograd::Engine::thread_main(...)", "??", 0}});
  const StackIndex optimizer = stack(snapshot, {{"step", "/x/torch/optim/adamw.py", 10}});
  Trace& trace = snapshot.device_traces[0];
  std::int64_t time = 100;
  const auto take = [&](StackIndex from, std::uint64_t address) {
    trace.push_back(entry(TraceAction::alloc, address, 512, ++time));
    trace.back().stack = from;
  };
  const auto mark = [&](int step, const char* stage) {
    snapshot.external_annotations.push_back(
        {snapshot.strings->intern("ProfilerStep#" + std::to_string(step)),
         snapshot.strings->intern(stage), 0, ++time});
  };
  constexpr int kSteps = 3;
  for (int step = 0; step < kSteps; ++step) {
    const std::uint64_t base = 0x100000 * static_cast<std::uint64_t>(step + 1);
    mark(step, "START");
    for (std::uint64_t i = 0; i < 4; ++i) take(model, base + (i << 10));
    for (std::uint64_t i = 4; i < 8; ++i) take(backward, base + (i << 10));
    take(optimizer, base + (8 << 10));
    take(stack(snapshot, {{"log_loss", "/x/train.py", 30}}), base + (9 << 10));
    mark(step, "END");
  }
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  std::vector<std::int32_t> forwards;
  for (const memory::PhaseSpan& span : log.log.phases()) {
    if (span.phase == base::Phase::forward && span.end_event - span.first_event > 1)
      forwards.push_back(span.step);
  }
  EXPECT_EQ(forwards, (std::vector<std::int32_t>{0, 1, 2}));
}

// As a trial of the model behind the optimizer, which the script names.
TEST(LogOfSnapshot, AnAnnotatedPhaseStaysWhereItIs) {
  Snapshot snapshot = with_events({});
  Trace& trace = snapshot.device_traces[0];
  std::int64_t time = 100;
  const auto mark = [&](const char* name, const char* stage) {
    snapshot.external_annotations.push_back(
        {snapshot.strings->intern(name), snapshot.strings->intern(stage), 0, ++time});
  };
  mark("ProfilerStep#0", "START");
  std::uint64_t address = 0x1000;
  for (const char* phase : {"forward", "backward", "optimizer", "forward"}) {
    mark(phase, "START");
    trace.push_back(entry(TraceAction::alloc, address += 0x1000, 512, ++time));
    mark(phase, "END");
  }
  mark("ProfilerStep#0", "END");
  std::vector<base::Phase> phases;
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  for (const memory::PhaseSpan& span : log.log.phases()) phases.push_back(span.phase);
  EXPECT_EQ(phases, (std::vector{base::Phase::forward, base::Phase::backward,
                                 base::Phase::optimizer, base::Phase::forward}));
}

// Whatever a file claims: no overflow, no broken invariant.
TEST(LogOfSnapshot, AbsurdNumbersDoNoHarm) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  Snapshot snapshot = with_events(
      {entry(TraceAction::alloc, 1, kMost, kMost), entry(TraceAction::alloc, 2, kMost, kLeast),
       entry(TraceAction::alloc, 1, kLeast, 0), entry(TraceAction::segment_free, 1, kLeast, 0),
       entry(TraceAction::segment_free, 1, kMost, 0),
       entry(TraceAction::free_completed, 9, kMost, 0),
       entry(TraceAction::oom, kMost, kMost, kMost)});
  SnapshotSegment segment;
  segment.total_size = kMost;
  snapshot.segments = {segment, segment};
  const SnapshotLog log = log_of_snapshot(snapshot, 0);
  EXPECT_EQ(log.log.events().size(), 7U)
      << "the earlier block, three, a lost free, a free, the oom";
}

}  // namespace
}  // namespace ts::allocator
