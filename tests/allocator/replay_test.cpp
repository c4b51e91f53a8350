#include "core/allocator/replay.h"
#include "core/allocator/caching_allocator_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/allocator/expandable_answer.h"
#include "core/allocator/snapshot_figures.h"
#include "core/allocator/snapshot_recorder.h"
#include "tests/allocator/random_program.h"
#include "tests/allocator/recorded_program.h"

namespace ts::allocator {
namespace {

using testing::ProgramStep;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

AllocatorSettings settings(const char* text) {
  return *AllocatorSettings::parse(text);
}

Snapshot record(const std::vector<ProgramStep>& program, const char* text,
                CachingAllocator::Device device = {}) {
  return testing::recorded_program(program, settings(text), device);
}

// As if the ring buffer had room for `keep` events only.
void keep_last(Snapshot& snapshot, std::size_t keep) {
  auto& trace = snapshot.device_traces[0];
  if (trace.size() > keep) trace.erase(trace.begin(), trace.end() - static_cast<long>(keep));
}

ReplayResult replayed(const Snapshot& snapshot, const ReplayOptions& options = {}) {
  const auto result = replay(snapshot, 0, options);
  EXPECT_TRUE(result) << result.error().sentence;
  return result ? *result : ReplayResult{};
}

// Wherever the recording begins, the state before it is found again.
class AnyStart : public ::testing::TestWithParam<const char*> {};

TEST_P(AnyStart, ReplaysExactly) {
  CachingAllocator::Device device;
  device.total_memory = 8 * kGiB;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const auto program = testing::RandomProgram(seed).make(1500);
    for (const std::size_t keep : {5000U, 1500U, 700U, 130U, 11U, 1U}) {
      SCOPED_TRACE(std::to_string(seed) + ", the last " + std::to_string(keep));
      Snapshot snapshot = record(program, GetParam(), device);
      keep_last(snapshot, keep);
      const ReplayResult result = replayed(snapshot);
      EXPECT_TRUE(result.as_recorded);
      EXPECT_FALSE(result.first_difference) << result.first_difference->what.sentence;
      EXPECT_EQ(result.recorded, result.simulated);
      EXPECT_EQ(result.other_addresses, 0);
      EXPECT_EQ(result.odd_events, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Replay, AnyStart,
                         ::testing::Values("", "roundup_power2_divisions:4",
                                           "expandable_segments:True"));

TEST(Replay, SaysWhereItLeavesTheRecording) {
  Snapshot snapshot = record(testing::RandomProgram(1).make(300), "");
  // The device once gave more than the allocator asks for.
  auto& trace = snapshot.device_traces[0];
  std::size_t changed = 0;
  while (trace[changed].action != TraceAction::segment_alloc || trace[changed].size <= 20 * kMiB) {
    ++changed;
  }
  trace[changed].size += 2 * kMiB;
  for (SnapshotSegment& segment : snapshot.segments) {
    if (segment.address != trace[changed].address) continue;
    segment.total_size += 2 * kMiB;
    segment.blocks.back().size += 2 * kMiB;
  }
  const ReplayResult result = replayed(snapshot);
  ASSERT_TRUE(result.first_difference);
  EXPECT_EQ(result.first_difference->event, changed + 1) << "the allocation that asked for it";
  EXPECT_NE(result.first_difference->what.sentence.find("reserved in the recording"),
            std::string::npos);
  EXPECT_NE(result.first_difference->what.sentence.find("MiB ("), std::string::npos);
}

// Four blocks of 30 MiB, two of them freed, 10 MiB in one of the holes: 40 MiB do not fit into
// 120 MiB, though 50 MiB are free.
Snapshot fragmented() {
  SnapshotRecorder recorder({}, {120 * kMiB, 0, std::nullopt});
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(*recorder.alloc(30 * kMiB, {}));
  recorder.free(blocks[1], {});
  EXPECT_TRUE(recorder.alloc(10 * kMiB, {}));
  recorder.free(blocks[3], {});
  EXPECT_FALSE(recorder.alloc(40 * kMiB, {}));
  return recorder.finish();
}

TEST(Replay, AnOutOfMemoryIsReplayedAsRecorded) {
  const ReplayResult result = replayed(fragmented());
  EXPECT_FALSE(result.first_difference);
  ASSERT_EQ(result.recorded_ooms.size(), 1U);
  EXPECT_EQ(result.recorded_ooms[0].bytes, 40 * kMiB);
  EXPECT_EQ(result.recorded_ooms[0].free, 30 * kMiB);
  EXPECT_TRUE(result.ooms_that_fit.empty());
  ASSERT_TRUE(result.simulated_oom);
  EXPECT_TRUE(result.simulated_oom->as_recorded);
  EXPECT_EQ(result.simulated_oom->event, result.recorded_ooms[0].event);
  EXPECT_EQ(result.simulated_oom->free.outside, 30 * kMiB);
  EXPECT_EQ(result.simulated_oom->free.bytes, 50 * kMiB);
  EXPECT_FALSE(result.stopped);
}

TEST(Replay, ExpandableSegmentsWouldHaveHelped) {
  ReplayOptions options;
  options.settings = settings("expandable_segments:True");
  const ReplayResult result = replayed(fragmented(), options);
  EXPECT_FALSE(result.as_recorded);
  EXPECT_EQ(result.capacity, 120 * kMiB) << "what was reserved and free at the time";
  EXPECT_EQ(result.ooms_that_fit, std::vector<std::size_t>{result.recorded_ooms.at(0).event});
  EXPECT_EQ(result.simulated_ooms, 0);
  options.settings = settings("garbage_collection_threshold:0.8");
  EXPECT_TRUE(replayed(fragmented(), options).ooms_that_fit.empty());
}

ExpandableAnswer ask(const Snapshot& snapshot, const ReplayOptions& options = {}) {
  const auto answer =
      would_expandable_segments_help(snapshot, 0, options, replayed(snapshot, options));
  EXPECT_TRUE(answer) << answer.error().sentence;
  return answer ? *answer : ExpandableAnswer{};
}

TEST(ExpandableAnswer, ServesWhatFragmentationRefused) {
  const ExpandableAnswer answer = ask(fragmented());
  EXPECT_EQ(answer.kind, ExpandableAnswer::Kind::serves_all);
  EXPECT_TRUE(answer.helps());
  EXPECT_EQ(answer.refused, 1);
  EXPECT_EQ(answer.refused_with, 0);
}

TEST(ExpandableAnswer, CannotMakeMemory) {
  ReplayOptions options;
  options.capacity = 50 * kMiB;  // less than two of the blocks
  const ExpandableAnswer answer = ask(fragmented(), options);
  EXPECT_EQ(answer.kind, ExpandableAnswer::Kind::still_runs_out);
  EXPECT_FALSE(answer.helps());
  EXPECT_GT(answer.refused_with, 0);
}

TEST(ExpandableAnswer, NothingToAskWhereTheyAreOn) {
  const Snapshot snapshot = record(testing::RandomProgram(2).make(200), "expandable_segments:True");
  EXPECT_EQ(ask(snapshot).kind, ExpandableAnswer::Kind::already_on);
}

// 30 MiB, then nothing, then 40 MiB: the freed segment is no use to the larger block.
TEST(ExpandableAnswer, ReservesLessWhereBlocksGrow) {
  SnapshotRecorder recorder({}, {});
  const auto small = recorder.alloc(30 * kMiB, {});
  recorder.free(*small, {});
  recorder.alloc(40 * kMiB, {});
  const ExpandableAnswer answer = ask(recorder.finish());
  EXPECT_EQ(answer.kind, ExpandableAnswer::Kind::reserves_less);
  EXPECT_EQ(answer.without.peak_reserved, 70 * kMiB);
  EXPECT_EQ(answer.with.peak_reserved, 40 * kMiB);
}

TEST(ExpandableAnswer, ClaimsNothingOfARecordingThatReusesNoMemory) {
  Snapshot snapshot = record(testing::RandomProgram(3).make(400), "");
  keep_last(snapshot, 1);
  EXPECT_EQ(ask(snapshot).kind, ExpandableAnswer::Kind::too_short);
  EXPECT_FALSE(ask(snapshot).is_known());
  EXPECT_FALSE(ask(snapshot).helps());
}

// 500 MiB were cached when the recording began: what goes without them is no gain.
TEST(ExpandableAnswer, ClaimsNothingOfWhatWasCachedBefore) {
  SnapshotRecorder recorder({}, {});
  const auto cached = recorder.alloc(500 * kMiB, {});
  recorder.free(*cached, {});
  const auto first = recorder.alloc(30 * kMiB, {});
  recorder.free(*first, {});
  recorder.alloc(30 * kMiB, {});
  Snapshot snapshot = recorder.finish();
  keep_last(snapshot, 4);
  const ExpandableAnswer answer = ask(snapshot);
  EXPECT_EQ(answer.kind, ExpandableAnswer::Kind::from_before);
  EXPECT_FALSE(answer.is_known());
}

// Eleven blocks that lived before take 12 MiB less with expandable segments, in the model alone:
// what the program really did before is not known.
TEST(ExpandableAnswer, ClaimsNothingWhereAllWasReservedBefore) {
  SnapshotRecorder recorder({}, {});
  std::uint64_t block = 0;
  for (int i = 0; i < 11; ++i) block = *recorder.alloc(30 * kMiB + kMiB / 2, {});
  recorder.free(block, {});
  recorder.alloc(30 * kMiB + kMiB / 2, {});
  Snapshot snapshot = recorder.finish();
  keep_last(snapshot, 3);
  const ExpandableAnswer answer = ask(snapshot);
  EXPECT_LT(answer.with.peak_reserved, answer.without.peak_reserved);
  EXPECT_EQ(answer.kind, ExpandableAnswer::Kind::from_before);
  EXPECT_FALSE(answer.is_known());
}

// The recording refused what its device had room for.
TEST(ExpandableAnswer, ClaimsNothingOfARefusalThatTheModelServes) {
  SnapshotRecorder recorder({}, {});
  const auto block = recorder.alloc(30 * kMiB, {});
  recorder.free(*block, {});
  Snapshot snapshot = recorder.finish();
  TraceEntry refused = snapshot.device_traces[0].back();
  refused.action = TraceAction::oom;
  refused.address = kGiB;
  refused.size = 40 * kMiB;
  snapshot.device_traces[0].push_back(refused);
  EXPECT_EQ(replayed(snapshot).simulated_ooms, 1);
  EXPECT_EQ(ask(snapshot).kind, ExpandableAnswer::Kind::served_anyway);
  EXPECT_FALSE(ask(snapshot).helps());
}

TEST(Replay, ASmallerDeviceRunsOutOfMemory) {
  ReplayOptions options;
  options.capacity = 100 * kMiB;
  const ReplayResult result = replayed(fragmented(), options);
  ASSERT_TRUE(result.simulated_oom);
  EXPECT_EQ(result.simulated_oom->bytes, 30 * kMiB);
  EXPECT_EQ(result.simulated_oom->free.bytes, 10 * kMiB);
  EXPECT_EQ(result.simulated_oom->free.largest, 10 * kMiB);
  EXPECT_EQ(result.simulated_oom->free.pieces, 1);
  EXPECT_EQ(result.simulated_ooms, 1);
  EXPECT_TRUE(result.stopped);
  options.capacity = 200 * kMiB;
  EXPECT_FALSE(replayed(fragmented(), options).simulated_oom);
  EXPECT_EQ(replayed(fragmented(), options).ooms_that_fit.size(), 1U);
}

// Memory that lived or was cached before the recording lies in the card's memory.
TEST(Replay, WhatLayInMemoryBeforeTheRecordingCounts) {
  SnapshotRecorder recorder({}, {});
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(*recorder.alloc(30 * kMiB, {}));
  recorder.free(blocks[1], {});
  recorder.alloc(1 * kMiB, {});
  Snapshot snapshot = recorder.finish();
  keep_last(snapshot, 1);
  ASSERT_EQ(snapshot.device_traces[0][0].action, TraceAction::alloc);
  ReplayOptions options;
  // 90 MiB live, 30 are cached, 2 more hold the small block.
  options.capacity = 92 * kMiB;
  const ReplayResult fits = replayed(snapshot, options);
  EXPECT_FALSE(fits.simulated_oom) << "the cached segment goes back";
  EXPECT_EQ(fits.simulated.peak_reserved, 92 * kMiB);
  options.capacity = 91 * kMiB;
  const ReplayResult asked = replayed(snapshot, options);
  ASSERT_TRUE(asked.simulated_oom);
  EXPECT_FALSE(asked.simulated_oom->before_recording);
  EXPECT_EQ(asked.simulated_oom->bytes, 1 * kMiB);
  EXPECT_EQ(asked.simulated_oom->free.bytes, 1 * kMiB);
  options.capacity = 89 * kMiB;
  const ReplayResult before = replayed(snapshot, options);
  ASSERT_TRUE(before.simulated_oom);
  EXPECT_TRUE(before.simulated_oom->before_recording);
  EXPECT_EQ(before.simulated_oom->event, 0U);
  EXPECT_EQ(before.simulated_oom->bytes, 30 * kMiB);
  EXPECT_EQ(before.simulated_oom->free.largest, 29 * kMiB);
  EXPECT_EQ(before.simulated_ooms, 1);
}

// Four times too much: the program would have ended with the first of them.
TEST(Replay, WhatComesAfterTheFirstRefusalIsNotCounted) {
  SnapshotRecorder recorder({}, {});
  for (int i = 0; i < 8; ++i) recorder.alloc(30 * kMiB, {});
  ReplayOptions options;
  options.capacity = 100 * kMiB;
  const ReplayResult result = replayed(recorder.finish(), options);
  EXPECT_EQ(result.simulated_ooms, 1);
  EXPECT_EQ(result.simulated_oom->free.bytes, 10 * kMiB);
  EXPECT_EQ(result.recorded.peak_reserved, 240 * kMiB) << "the recording goes on";
  EXPECT_EQ(result.simulated.peak_reserved, 90 * kMiB);
  EXPECT_EQ(result.simulated.end_reserved, 90 * kMiB);
}

TEST(Replay, TheFreePiecesOfARefusalAreCounted) {
  ReplayOptions options;
  options.capacity = 121 * kMiB;
  const ReplayResult result = replayed(fragmented(), options);
  ASSERT_TRUE(result.simulated_oom) << "refused as it was recorded";
  EXPECT_EQ(result.simulated_oom->event, result.recorded_ooms.at(0).event);
  EXPECT_EQ(result.simulated_oom->bytes, 40 * kMiB);
  EXPECT_EQ(result.simulated_oom->free.bytes, 51 * kMiB);
  EXPECT_EQ(result.simulated_oom->free.pieces, 2);
  EXPECT_EQ(result.simulated_oom->free.largest, 31 * kMiB);
  EXPECT_FALSE(result.stopped) << "the recording survived it";
}

TEST(Replay, PrivatePoolsTakeFromTheCard) {
  SnapshotRecorder recorder({}, {});
  recorder.alloc(30 * kMiB, {});
  recorder.alloc(40 * kMiB, {});
  Snapshot snapshot = recorder.finish();
  for (SnapshotSegment& segment : snapshot.segments) {
    if (segment.total_size == 30 * kMiB) segment.pool = {0, 1};
  }
  ReplayOptions options;
  options.capacity = 70 * kMiB;
  EXPECT_FALSE(replayed(snapshot, options).simulated_oom);
  options.capacity = 60 * kMiB;
  const ReplayResult refused = replayed(snapshot, options);
  ASSERT_TRUE(refused.simulated_oom);
  EXPECT_EQ(refused.simulated_oom->bytes, 40 * kMiB);
  EXPECT_EQ(refused.simulated_oom->free.bytes, 30 * kMiB);
  options.capacity = 20 * kMiB;
  EXPECT_EQ(replayed(snapshot, options).simulated_oom->bytes, 30 * kMiB) << "the pool itself";
}

TEST(Replay, OtherSettingsBeginAnew) {
  Snapshot snapshot = record(testing::RandomProgram(4).make(2000), "");
  keep_last(snapshot, 500);
  ReplayOptions options;
  options.settings = settings("expandable_segments:True");
  const ReplayResult result = replayed(snapshot, options);
  EXPECT_EQ(result.simulated_ooms, 0);
  EXPECT_EQ(result.odd_events, 0);
  EXPECT_EQ(result.recorded, replayed(snapshot).recorded);
  EXPECT_GT(result.simulated.peak_reserved, 0);
  EXPECT_NE(result.simulated, result.recorded);
}

// Segments of private pools come and go as recorded.
TEST(Replay, PrivatePoolsAreCountedAsRecorded) {
  SnapshotRecorder recorder({}, {});
  const auto first = recorder.alloc(30 * kMiB, {});
  ASSERT_TRUE(first && recorder.alloc(40 * kMiB, {}));
  recorder.free(*first, {});
  Snapshot snapshot = recorder.finish();
  for (SnapshotSegment& segment : snapshot.segments) {
    if (segment.total_size == 30 * kMiB) segment.pool = {0, 1};
  }
  const ReplayResult result = replayed(snapshot);
  EXPECT_FALSE(result.first_difference);
  EXPECT_EQ(result.private_bytes, 30 * kMiB);
  EXPECT_EQ(result.recorded, (ReplayFigures{2, 70 * kMiB, 70 * kMiB}));
  EXPECT_EQ(result.simulated, result.recorded);
  EXPECT_EQ(result.odd_events, 0);
}

TEST(Replay, WhatCannotBeReplayedSaysWhy) {
  const auto sentence = [](const Snapshot& snapshot, std::size_t device = 0) {
    const auto result = replay(snapshot, device);
    return result ? std::string("it was replayed") : result.error().sentence;
  };
  EXPECT_EQ(sentence({}), "The snapshot has no trace of device 0");
  Snapshot snapshot = fragmented();
  EXPECT_EQ(sentence(snapshot, 3), "The snapshot has no trace of device 3");

  Snapshot gap = snapshot;
  gap.segments[0].blocks.front().size -= 512;
  EXPECT_NE(sentence(gap).find("do not fill it"), std::string::npos);

  Snapshot negative = snapshot;
  negative.device_traces[0][3].size = -5;
  EXPECT_NE(sentence(negative).find("Event 3 is about -5 bytes"), std::string::npos);

  Snapshot other = snapshot;
  for (SnapshotSetting& setting : other.allocator_settings) {
    if (other.text(setting.name) == "PYTORCH_CUDA_ALLOC_CONF") {
      setting.value = other.strings->intern("backend:cudaMallocAsync");
    }
  }
  std::erase_if(other.allocator_settings, [&](const SnapshotSetting& setting) {
    return other.text(setting.name) == "max_split_size";
  });
  EXPECT_NE(sentence(other).find("cudaMallocAsync"), std::string::npos);
}

// A trace that contradicts its segments is replayed as far as it goes.
TEST(Replay, ContradictionsAreCounted) {
  Snapshot snapshot = record(testing::RandomProgram(2).make(400), "");
  auto& trace = snapshot.device_traces[0];
  std::erase_if(trace, [](const TraceEntry& entry) {
    return entry.action == TraceAction::alloc && entry.size % 3 == 0;
  });
  const ReplayResult result = replayed(snapshot);
  EXPECT_GT(result.odd_events, 0);
}

// The blocks lie in no segment: the trace of their allocations was overwritten.
TEST(Replay, EventsOfATraceThatOnlyFreesAreCountedOnce) {
  Snapshot snapshot;
  const NotesIndex notes = snapshot.notes.add({});
  auto& trace = snapshot.device_traces.emplace_back();
  for (std::uint64_t i = 0; i < 5; ++i) {
    TraceEntry entry;
    entry.action = TraceAction::free_completed;
    entry.address = 4096 * (i + 1);
    entry.size = 1024;
    entry.notes = notes & kMostNotes;
    trace.push_back(entry);
  }
  const ReplayResult result = replayed(snapshot);
  EXPECT_EQ(result.odd_events, 5);
  EXPECT_EQ(result.simulated_peak_requested, 5 * 1024);
}

// One measure on both sides, whatever the blocks are rounded to.
TEST(Replay, ThePeakOfRequestedBytesIsThatOfTheRecording) {
  for (const std::uint32_t seed : {3U, 4U}) {
    const Snapshot snapshot = record(testing::RandomProgram(seed).make(600), "");
    const ReplayResult result = replayed(snapshot);
    EXPECT_EQ(result.simulated_peak_requested, allocated_bytes(snapshot, 0).peak);
    EXPECT_GT(result.simulated_peak_requested, 0);
  }
}

}  // namespace
}  // namespace ts::allocator
