#include "core/allocator/reserved_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>

#include "core/allocator/snapshot_recorder.h"
#include "core/allocator/what_if.h"
#include "tests/allocator/random_program.h"
#include "tests/allocator/recorded_program.h"

namespace ts::allocator {
namespace {

using testing::ProgramStep;

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

AllocatorSettings settings_of(const char* text) {
  return *AllocatorSettings::parse(text);
}

CachingAllocator::Device eight_gibibytes() {
  CachingAllocator::Device device;
  device.total_memory = 8192 * kMebi;
  return device;
}

class ReservedPartsOf : public ::testing::TestWithParam<const char*> {};

// Each reserved byte is counted once after each step of random programs, whatever is asked; the
// parts inside blocks are what the allocator counts as allocated beyond what was asked for.
TEST_P(ReservedPartsOf, SumUpAtEveryStep) {
  const AllocatorSettings settings = settings_of(GetParam());
  std::mt19937_64 random(7);
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    CachingAllocator allocator(settings, eight_gibibytes());
    std::vector<std::uint64_t> addresses;
    for (const ProgramStep& step : testing::RandomProgram(seed).make(600)) {
      if (step.kind == ProgramStep::Kind::alloc) {
        addresses.push_back(*allocator.allocate(step.bytes, step.stream));
      } else if (step.kind == ProgramStep::Kind::free) {
        allocator.free(addresses[step.block]);
      } else {
        allocator.empty_cache();
      }
      std::optional<Asked> asked;
      if (random() % 4 != 0)
        asked = Asked{static_cast<std::int64_t>(1 + random() % (64 * kMebi)),
                      random() % 2 == 0 ? 0 : 7};
      const ReservedParts parts = reserved_parts(allocator.segments(), settings, asked);
      const AllocatorStats& stats = allocator.stats();
      ASSERT_EQ(parts.reserved, stats.reserved);
      ASSERT_EQ(parts.allocated, stats.allocated);
      ASSERT_EQ(parts.requested, stats.requested);
      ASSERT_EQ(parts.sum(), stats.reserved - stats.requested);
      ASSERT_EQ(parts[ReservedPart::rounding] + parts[ReservedPart::size_class] +
                    parts[ReservedPart::unsplit],
                stats.allocated - stats.requested);
      for (const std::int64_t bytes : parts.bytes) ASSERT_GE(bytes, 0);
    }
  }
}

class UsablePieces : public ::testing::TestWithParam<const char*> {};

// The model itself agrees about the pieces: it takes memory from the device for the request if and
// only if none is usable.
TEST_P(UsablePieces, AreThoseThatTheAllocatorUses) {
  const AllocatorSettings settings = settings_of(GetParam());
  int served = 0;
  int refused = 0;
  std::mt19937_64 random(3);
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    CachingAllocator allocator(settings, eight_gibibytes());
    std::vector<std::uint64_t> addresses;
    for (const ProgramStep& step : testing::RandomProgram(seed).make(300)) {
      if (step.kind == ProgramStep::Kind::alloc) {
        addresses.push_back(*allocator.allocate(step.bytes, step.stream));
      } else if (step.kind == ProgramStep::Kind::free) {
        allocator.free(addresses[step.block]);
      }
      const Asked asked{static_cast<std::int64_t>(1 + random() % (40 * kMebi)), 0};
      const ReservedParts parts = reserved_parts(allocator.segments(), settings, asked);
      CachingAllocator copy = allocator.fork(eight_gibibytes());
      ASSERT_TRUE(copy.allocate(asked.bytes, asked.stream));
      const bool took = copy.stats().segment_allocs > allocator.stats().segment_allocs;
      if (parts[ReservedPart::usable] > 0) {
        ASSERT_FALSE(took);
        ++served;
      } else if (parts[ReservedPart::cached] == 0) {
        ASSERT_TRUE(took);
        ++refused;
      }
    }
  }
  EXPECT_GT(served, 10);
  EXPECT_GT(refused, 10);
}

INSTANTIATE_TEST_SUITE_P(ReservedParts, ReservedPartsOf,
                         ::testing::Values("", "roundup_power2_divisions:4", "max_split_size_mb:20",
                                           "expandable_segments:True",
                                           "expandable_segments:True,max_split_size_mb:32"));

// Not with expandable segments, whose state cannot be copied.
INSTANTIATE_TEST_SUITE_P(ReservedParts, UsablePieces,
                         ::testing::Values("", "roundup_power2_divisions:4",
                                           "max_split_size_mb:20"));

SegmentView segment_of(std::int64_t stream,
                       std::vector<std::pair<std::int64_t, std::int64_t>> blocks) {
  SegmentView segment;
  segment.stream = stream;
  for (const auto& [size, requested] : blocks) {
    const std::uint64_t address = static_cast<std::uint64_t>(segment.size);
    segment.blocks.push_back({address, size, requested, requested > 0});
    segment.size += size;
  }
  return segment;
}

TEST(ReservedParts, PutEachByteWhereItBelongs) {
  const AllocatorSettings settings = settings_of("max_split_size_mb:64,roundup_power2_divisions:4");
  const std::vector<SegmentView> segments = {
      // 5 MiB + 1 B are rounded to 512 B, then to a quarter of 4 MiB; 1 MiB was not split off.
      segment_of(0, {{7 * kMebi, 5 * kMebi + 1}, {13 * kMebi, 0}}),
      segment_of(0, {{70 * kMebi, 0}, {2 * kMebi, 2 * kMebi}, {30 * kMebi, 0}}),
      segment_of(7, {{2 * kMebi, 2 * kMebi}, {18 * kMebi, 0}}), segment_of(0, {{20 * kMebi, 0}})};
  const ReservedParts parts =
      reserved_parts(segments, settings, Asked{20 * kMebi, 0}, {12 * kMebi, 5 * kMebi});
  EXPECT_EQ(parts[ReservedPart::rounding], 511);
  EXPECT_EQ(parts[ReservedPart::size_class], kMebi - 512);
  EXPECT_EQ(parts[ReservedPart::unsplit], kMebi);
  EXPECT_EQ(parts[ReservedPart::too_small], 13 * kMebi);
  EXPECT_EQ(parts[ReservedPart::barred], 70 * kMebi);
  EXPECT_EQ(parts[ReservedPart::usable], 30 * kMebi);
  EXPECT_EQ(parts[ReservedPart::elsewhere], 18 * kMebi);
  EXPECT_EQ(parts[ReservedPart::cached], 20 * kMebi);
  EXPECT_EQ(parts[ReservedPart::private_pools], 7 * kMebi);
  EXPECT_EQ(parts.sum(), parts.gap());
}

// The trace's own words after its first events.
struct Written {
  std::int64_t reserved = 0;
  std::int64_t requested = 0;
};
Written written(const Snapshot& snapshot, std::size_t position) {
  Written sum;
  std::unordered_map<std::uint64_t, std::int64_t> live;
  for (std::size_t i = 0; i < position; ++i) {
    const TraceEntry& entry = snapshot.device_traces[0][i];
    switch (entry.action) {
      case TraceAction::segment_alloc:
      case TraceAction::segment_map:
        sum.reserved += entry.size;
        break;
      case TraceAction::segment_free:
      case TraceAction::segment_unmap:
        sum.reserved -= entry.size;
        break;
      case TraceAction::alloc:
        live[entry.address] = entry.size;
        break;
      case TraceAction::free_completed:
        live.erase(entry.address);
        break;
      default:
        break;
    }
  }
  for (const auto& [address, bytes] : live) sum.requested += bytes;
  return sum;
}

class ExplainReserved : public ::testing::TestWithParam<const char*> {};

TEST_P(ExplainReserved, AgreesWithTheTraceAtEveryEvent) {
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    const Snapshot snapshot = testing::recorded_program(testing::RandomProgram(seed).make(150),
                                                        settings_of(GetParam()), eight_gibibytes());
    const std::size_t events = snapshot.device_traces[0].size();
    for (std::size_t position = 0; position <= events; ++position) {
      SCOPED_TRACE(std::to_string(seed) + ", after " + std::to_string(position));
      const auto answer = explain_reserved(snapshot, 0, {}, position);
      ASSERT_TRUE(answer) << answer.error().sentence;
      ASSERT_GE(answer->position, position);
      ASSERT_LE(answer->position, events);
      const Written sum = written(snapshot, answer->position);
      ASSERT_EQ(answer->parts.reserved, sum.reserved);
      ASSERT_EQ(answer->parts.requested, sum.requested);
      ASSERT_EQ(answer->parts.sum(), sum.reserved - sum.requested);
      // Nothing lived before this recording, so playing it unchanged gives the same parts.
      ASSERT_EQ(answer->what_ifs.front().played.parts, answer->parts);
      for (const WhatIf& one : answer->what_ifs) {
        ASSERT_FALSE(one.played.refused);
        ASSERT_EQ(one.played.parts.requested, sum.requested);
        ASSERT_EQ(one.played.parts.sum(), one.played.parts.gap());
        ASSERT_GE(one.played.peak_reserved, one.played.parts.reserved);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ReservedParts, ExplainReserved,
                         ::testing::Values("", "roundup_power2_divisions:4", "max_split_size_mb:32",
                                           "expandable_segments:True"));

const WhatIf& changed(const std::vector<WhatIf>& all, WhatIf::Kind kind) {
  const auto found = std::ranges::find(all, kind, &WhatIf::kind);
  EXPECT_NE(found, all.end());
  return *found;
}

// The moment that nobody chose is the refusal: the device has free memory, but in pieces.
TEST(ExplainReserved, BeginsWithTheRefusal) {
  CachingAllocator::Device device;
  device.capacity = 120 * kMebi;
  std::vector<ProgramStep> program;
  using Kind = ProgramStep::Kind;
  for (std::size_t i = 0; i < 5; ++i) {
    program.push_back({Kind::alloc, 2 * i, 9 * kMebi, 0});
    program.push_back({Kind::alloc, 2 * i + 1, 11 * kMebi, 0});
  }
  for (std::size_t i = 0; i < 5; ++i) program.push_back({Kind::free, 2 * i});
  program.push_back({Kind::alloc, 10, 30 * kMebi, 0});
  const Snapshot snapshot = testing::recorded_program(program, {}, device);
  const auto answer = explain_reserved(snapshot, 0, {});
  ASSERT_TRUE(answer) << answer.error().sentence;
  EXPECT_EQ(snapshot.device_traces[0][answer->position - 1].action, TraceAction::oom);
  EXPECT_EQ(answer->asked, (Asked{30 * kMebi, 0}));
  EXPECT_FALSE(answer->asked_next);
  EXPECT_EQ(answer->parts[ReservedPart::too_small], 45 * kMebi);
  EXPECT_EQ(answer->what_ifs.front().played.served, 0);
  const WhatIf& kept = changed(answer->what_ifs, WhatIf::Kind::kept_first);
  EXPECT_EQ(kept.played.served, 1);
  EXPECT_LT(kept.played.parts[ReservedPart::too_small], 30 * kMebi);
}

std::vector<ProgramStep> allocations(std::size_t count, std::int64_t bytes) {
  std::vector<ProgramStep> program;
  for (std::size_t i = 0; i < count; ++i)
    program.push_back({ProgramStep::Kind::alloc, i, bytes, 0});
  return program;
}

// 500 MiB were cached before a recording of one event: only empty_cache() is known to change that.
TEST(ExplainReserved, ClaimsNothingOfARecordingThatIsTooShort) {
  std::vector<ProgramStep> program = allocations(3, 500 * kMebi);
  program.push_back({ProgramStep::Kind::free, 1});
  program.push_back({ProgramStep::Kind::free, 2});
  Snapshot snapshot = testing::recorded_program(program, {}, eight_gibibytes());
  auto& trace = snapshot.device_traces[0];
  trace.erase(trace.begin(), trace.end() - 1);
  const auto answer = explain_reserved(snapshot, 0, {});
  ASSERT_TRUE(answer) << answer.error().sentence;
  EXPECT_EQ(answer->unanswered, ReservedAnswer::Unanswered::too_short);
  ASSERT_EQ(answer->what_ifs.size(), 1U);
  const WhatIf& emptied = answer->what_ifs[0];
  EXPECT_EQ(emptied.kind, WhatIf::Kind::empty_cache);
  EXPECT_EQ(answer->parts.reserved, 1500 * kMebi);
  EXPECT_EQ(emptied.played.parts.reserved, 1000 * kMebi) << "at event 0 one of them is cached";
  EXPECT_EQ(best_for(answer->what_ifs, answer->parts, ReservedPart::cached), &emptied);
  EXPECT_EQ(best_of(answer->what_ifs, answer->parts), &emptied);
}

// The device is full at the fourth block: every row of the moment after two says so.
TEST(ExplainReserved, NamesARefusalAfterTheMoment) {
  std::vector<ProgramStep> program = allocations(8, 30 * kMebi);
  program.push_back({ProgramStep::Kind::free, 0});
  program.push_back({ProgramStep::Kind::alloc, 8, 30 * kMebi, 0});
  const Snapshot snapshot = testing::recorded_program(program, {}, eight_gibibytes());
  ReplayOptions options;
  options.capacity = 100 * kMebi;
  const auto answer = explain_reserved(snapshot, 0, options, 4);
  ASSERT_TRUE(answer) << answer.error().sentence;
  ASSERT_TRUE(answer->refused);
  const WhatIf* unchanged = unchanged_of(answer->what_ifs);
  ASSERT_NE(unchanged, nullptr);
  EXPECT_TRUE(unchanged->played.refused);
  EXPECT_EQ(unchanged->played.refused_event, static_cast<std::int64_t>(answer->refused->event));
  EXPECT_EQ(unchanged->played.parts.reserved, 60 * kMebi);
  EXPECT_EQ(unchanged->played.peak_reserved, 60 * kMebi);
}

// A block that is allocated first is freed at the same event as before.
TEST(WhatIfs, FreeLaterWhatWasAllocatedFirst) {
  using Kind = Request::Kind;
  RequestList list;
  list.device.capacity = 120 * kMebi;
  list.requests = {{Kind::alloc, 0, 20 * kMebi, 0, 0},
                   {Kind::free, 0, 0, 0, 1},
                   {Kind::alloc, 1, 60 * kMebi, 0, 2}};
  list.later = {{Kind::free, 1, 0, 0, 3},
                {Kind::alloc, 2, 100 * kMebi, 0, 4},
                {Kind::alloc, 3, 100 * kMebi, 0, 5}};
  const auto all = what_ifs(list);
  EXPECT_EQ(changed(all, WhatIf::Kind::kept_first).played.refused_event, 5);
  EXPECT_EQ(all.front().played.refused_event, 5);
}

// https://github.com/pytorch/pytorch/pull/193400: with both settings a free block of 136.5 MiB is
// kept from smaller requests, so every cycle maps as much again.
RequestList cycles(int count, const char* text) {
  RequestList list;
  list.settings = settings_of(text);
  list.device.total_memory = 16304 * kMebi;
  std::uint32_t block = 0;
  const auto take = [&](std::int64_t bytes) {
    list.requests.push_back({Request::Kind::alloc, block, bytes, 0});
    return block++;
  };
  take(64 * kMebi);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t a = take(91 * kMebi);
    const std::uint32_t b = take(91 * kMebi / 2);
    take(2 * kMebi);
    list.requests.push_back({Request::Kind::free, a, 0, 0});
    list.requests.push_back({Request::Kind::free, b, 0, 0});
  }
  list.asked = Asked{91 * kMebi, 0};
  return list;
}

TEST(WhatIfs, ReproduceTheGrowthWithBothSettings) {
  constexpr const char* kBoth = "max_split_size_mb:128,expandable_segments:True";
  const std::pair<int, std::int64_t> published[] = {{0, 220},   {20, 2980},  {40, 5760},
                                                    {60, 8520}, {80, 11300}, {100, 14060}};
  for (const auto& [cycle, reserved] : published) {
    SCOPED_TRACE(cycle);
    const auto all = what_ifs(cycles(cycle + 1, kBoth));
    const ReservedParts& parts = all.front().played.parts;
    EXPECT_EQ(parts.reserved, reserved * kMebi);
    EXPECT_EQ(parts.requested, (64 + 2 * (cycle + 1)) * kMebi);
    EXPECT_EQ(parts.sum(), parts.gap());
    EXPECT_EQ(parts[ReservedPart::barred], (cycle + 1) * 273 * kMebi / 2);
  }
}

TEST(WhatIfs, NameTheSettingThatMakesItGrow) {
  const auto all = what_ifs(cycles(101, "max_split_size_mb:128,expandable_segments:True"));
  const WhatIf* best = best_for(all, all.front().played.parts, ReservedPart::barred);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->played.parts[ReservedPart::barred], 0);
  // Either option on its own stays under 500 MiB.
  for (const auto kind : {WhatIf::Kind::expandable, WhatIf::Kind::split_size}) {
    EXPECT_TRUE(changed(all, kind).taken_away);
    EXPECT_LT(changed(all, kind).played.parts.reserved, 500 * kMebi);
  }
  // With the small blocks first the large ones lie side by side and merge with what is unmapped.
  EXPECT_LT(changed(all, WhatIf::Kind::kept_first).played.parts.reserved, 500 * kMebi);
  const WhatIf& emptied = changed(all, WhatIf::Kind::empty_cache);
  EXPECT_LT(emptied.played.parts.reserved, all.front().played.parts.reserved / 2);
  EXPECT_EQ(emptied.played.peak_reserved, all.front().played.peak_reserved);
}

}  // namespace
}  // namespace ts::allocator
