#include "core/blocks/allocator_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "tests/blocks/snapshots.h"

namespace ts::blocks {
namespace {

using allocator::BlockState;
using allocator::SnapshotSegment;
using allocator::TraceAction;
using testing::kMiB;

// A trace as PyTorch would write it: the model of its allocator serves random requests.
class RandomTrace {
 public:
  RandomTrace(std::uint32_t seed, bool expandable, int events) : random_(seed) {
    allocator::AllocatorSettings settings;
    settings.expandable_segments = expandable;
    allocator_.emplace(settings, allocator::CachingAllocator::Device{});
    for (int i = 0; i < events; ++i) random_() % 5 < 3 || live_.empty() ? take() : give();
    write_segments();
  }
  testing::MadeSnapshot made;

 private:
  void device_events() {
    for (const allocator::SegmentEvent& event : allocator_->take_events()) {
      using Action = allocator::SegmentAction;
      const TraceAction action = event.action == Action::segment_alloc  ? TraceAction::segment_alloc
                                 : event.action == Action::segment_free ? TraceAction::segment_free
                                 : event.action == Action::segment_map  ? TraceAction::segment_map
                                                                       : TraceAction::segment_unmap;
      made.event(action, event.address, event.size);
    }
  }
  void take() {
    const auto size = static_cast<std::int64_t>(1 + (random_() % 3000) * (random_() % 9000));
    const auto address = allocator_->allocate(size);
    ASSERT_TRUE(address);
    device_events();
    made.alloc(*address, size);
    live_.emplace_back(*address, size);
  }
  void give() {
    const std::size_t place = random_() % live_.size();
    const auto [address, size] = live_[place];
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(place));
    ASSERT_TRUE(allocator_->free(address));
    made.free(address, size);
  }
  void write_segments() {
    for (const allocator::SegmentView& view : allocator_->segments()) {
      SnapshotSegment segment;
      segment.address = view.address;
      segment.total_size = view.size;
      segment.small_pool = view.small_pool;
      segment.expandable = view.expandable;
      for (const auto& block : view.blocks) {
        segment.blocks.push_back(
            {block.address, block.size, block.requested, memory::kNone,
             block.allocated ? BlockState::active_allocated : BlockState::inactive});
      }
      made.snapshot().segments.push_back(segment);
    }
  }

  std::mt19937 random_;
  std::optional<allocator::CachingAllocator> allocator_;
  std::vector<std::pair<std::uint64_t, std::int64_t>> live_;
};

// (address, size) of every segment, and of every block in use.
using Places = std::vector<std::pair<std::uint64_t, std::int64_t>>;
Places used_blocks(std::span<const SnapshotSegment> segments) {
  Places places;
  for (const SnapshotSegment& segment : segments) {
    for (const auto& block : segment.blocks) {
      if (block.state != BlockState::inactive) places.emplace_back(block.address, block.size);
    }
  }
  return places;
}
Places places_of(std::span<const SnapshotSegment> segments) {
  Places places;
  for (const SnapshotSegment& segment : segments)
    places.emplace_back(segment.address, segment.total_size);
  return places;
}

// All that a segment map shows of the blocks.
using Whole = std::vector<
    std::tuple<std::uint64_t, std::int64_t, std::int64_t, allocator::StackIndex, BlockState>>;
Whole whole_state(const AllocatorHistory& history) {
  Whole state;
  for (const SnapshotSegment& segment : history.segments()) {
    state.emplace_back(segment.address, segment.total_size, segment.allocated_size, segment.stack,
                       BlockState::inactive);
    for (const auto& block : segment.blocks)
      state.emplace_back(block.address, block.size, block.requested, block.stack, block.state);
  }
  return state;
}

TEST(AllocatorHistory, EndsWithTheFinalSegmentsAndBeginsWithNothing) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomTrace trace(seed, seed % 2 == 1, 300);
    const BlockSource source = trace.made.blocks();
    AllocatorHistory history(source);
    EXPECT_EQ(history.position(), history.size());
    auto wanted = source.snapshot.segments;
    std::ranges::sort(wanted, {}, &SnapshotSegment::address);
    EXPECT_EQ(places_of(history.segments()), places_of(wanted));
    EXPECT_EQ(used_blocks(history.segments()), used_blocks(wanted));
    history.move_to(0);
    EXPECT_TRUE(history.segments().empty()) << "this trace holds everything that happened";
  }
}

// At every event blocks and free parts fill their segments, the bytes are those of the log, and a
// state is the same however it is reached.
TEST(AllocatorHistory, EveryStateIsWholeAndTheSameFromBothSides) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    RandomTrace trace(seed, seed % 2 == 1, 120);
    const BlockSource source = trace.made.blocks();
    AllocatorHistory history(source);
    std::vector<Places> before;
    for (std::size_t i = history.size() + 1; i-- > 0;) {
      history.move_to(i);
      before.push_back(used_blocks(history.segments()));
    }
    for (std::size_t i = 0; i <= history.size(); ++i) {
      history.move_to(i);
      std::int64_t requested = 0;
      for (const SnapshotSegment& segment : history.segments()) {
        std::uint64_t at = segment.address;
        for (const auto& block : segment.blocks) {
          ASSERT_EQ(block.address, at);
          ASSERT_GT(block.size, 0);
          at += static_cast<std::uint64_t>(block.size);
        }
        EXPECT_EQ(at, segment.address + static_cast<std::uint64_t>(segment.total_size));
        requested += segment.requested_size;
      }
      EXPECT_EQ(used_blocks(history.segments()), before[history.size() - i]);
      std::int64_t total = 0;
      for (std::size_t e = 0; e < i; ++e) {
        const auto& entry = source.snapshot.device_traces[0][e];
        if (entry.action == TraceAction::alloc) total += entry.size;
        if (entry.action == TraceAction::free_completed) total -= entry.size;
      }
      EXPECT_EQ(requested, total) << i;
    }
  }
}

// A trace of millions of events is stepped through without memory of its own size.
TEST(AllocatorHistory, NeedsTwoBytesForABlock) {
  constexpr int kBlocks = 100'000;
  testing::MadeSnapshot made;
  made.event(TraceAction::segment_alloc, 0x10000, 2 * kMiB);
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t address = 0x10000 + static_cast<std::uint64_t>(i % 7) * 4096;
    made.alloc(address, 700 + i % 3);
    made.free(address, 700 + i % 3);
  }
  AllocatorHistory history(made.blocks());
  EXPECT_EQ(history.size(), 3U * kBlocks + 1);
  EXPECT_LE(history.bytes(), 2U * kBlocks);
  const Whole end = whole_state(history);
  history.move_to(2);
  EXPECT_EQ(history.segments()[0].requested_size, 700);
  history.move_to(history.size());
  EXPECT_EQ(whole_state(history), end);
}

// Jumps start from states that are kept; steps of one event never do.
TEST(AllocatorHistory, FarPositionsAreThoseThatStepsReach) {
  constexpr std::size_t kEvents = 200'000;
  std::mt19937 random(5);
  testing::MadeSnapshot made;
  made.event(TraceAction::segment_alloc, 0x1000000, 2 * kMiB);
  std::vector<std::int64_t> sizes(64);
  const auto& trace = made.snapshot().device_traces[0];
  bool second = false;
  while (trace.size() < kEvents) {
    if (random() % 1000 == 0) {
      made.event(second ? TraceAction::segment_free : TraceAction::segment_alloc, 0x9000000,
                 20 * kMiB);
      second = !second;
    }
    const std::size_t slot = random() % sizes.size();
    const std::uint64_t address = 0x1000000 + slot * 32768;
    if (sizes[slot] == 0) {
      sizes[slot] = 600 + static_cast<std::int64_t>(random() % 20000);
      made.alloc(address, sizes[slot]);
    } else {
      made.free(address, sizes[slot]);
      sizes[slot] = 0;
    }
  }
  const BlockSource source = made.blocks();
  AllocatorHistory steps(source), jumps(source);
  std::vector<std::size_t> positions = {0,       1,       65'535,  65'536,       65'537,
                                        131'071, 131'072, 131'073, steps.size(), steps.size() - 1};
  for (int i = 0; i < 30; ++i) positions.push_back(random() % steps.size());
  std::ranges::sort(positions);
  std::vector<Whole> states;
  steps.move_to(0);
  for (const std::size_t position : positions) {
    while (steps.position() < position) steps.move_to(steps.position() + 1);
    states.push_back(whole_state(steps));
  }
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < 3; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      SCOPED_TRACE(positions[i]);
      jumps.move_to(positions[i]);
      ASSERT_EQ(whole_state(jumps), states[i]);
      if (positions[i] == 0) continue;
      const TraceAction last = trace[positions[i] - 1].action;
      const bool of_block = last == TraceAction::alloc || last == TraceAction::free_requested ||
                            last == TraceAction::free_completed;
      EXPECT_EQ(jumps.block_of_event(positions[i] - 1).has_value(), of_block);
      jumps.move_to(positions[i] - 1);
      jumps.move_to(positions[i]);
      EXPECT_EQ(whole_state(jumps), states[i]);
    }
  }
}

TEST(AllocatorHistory, KnowsTheBlocksOfItsEvents) {
  testing::MadeSnapshot made;
  made.event(TraceAction::segment_alloc, 0x10000, 2 * kMiB);
  made.alloc(0x10000, 700);
  made.event(TraceAction::free_requested, 0x10000, 700);
  made.event(TraceAction::free_completed, 0x10000, 700);
  AllocatorHistory history(made.blocks());
  EXPECT_EQ(history.block_of_event(1), 0U);
  EXPECT_FALSE(history.block_of_event(0));
  history.move_to(3);
  EXPECT_EQ(history.block_at(0x10000), 0U);
  EXPECT_EQ(history.segments()[0].blocks[0].state, BlockState::active_pending_free);
  EXPECT_EQ(history.block_of_event(2), 0U) << "what the last event asked to free";
  history.move_to(4);
  EXPECT_FALSE(history.block_at(0x10000));
  EXPECT_EQ(history.block_of_event(3), 0U) << "what the last event freed";
}

// Two pieces of 20 MiB are free; 30 MiB fit into neither.
TEST(Misfit, IsTheRequestThatFoundOnlySmallPieces) {
  testing::MadeSnapshot made;
  std::vector<SnapshotSegment> segments;
  for (const std::uint64_t address : {0x1000000ULL, 0x5000000ULL}) {
    made.event(TraceAction::segment_alloc, address, 20 * kMiB);
    made.alloc(address, 20 * kMiB);
    made.free(address, 20 * kMiB);
    SnapshotSegment segment;
    segment.address = address;
    segment.total_size = 20 * kMiB;
    segment.blocks = {{address, 20 * kMiB}};
    segments.push_back(segment);
  }
  made.snapshot().segments = segments;
  EXPECT_FALSE(worst_misfit(made.blocks()));
  allocator::TraceEntry& refused = made.event(TraceAction::oom, 1 * kMiB, 30 * kMiB);
  const auto misfit = worst_misfit(made.blocks());
  ASSERT_TRUE(misfit);
  EXPECT_EQ(misfit->requested, 30 * kMiB);
  EXPECT_TRUE(misfit->refused);
  EXPECT_EQ(misfit->free.pieces, 2);
  EXPECT_EQ(misfit->free.largest, 20 * kMiB);
  EXPECT_EQ(misfit->free.free(), 40 * kMiB);
  refused.notes = made.snapshot().notes.add({.stream = 7}) & allocator::kMostNotes;
  EXPECT_FALSE(worst_misfit(made.blocks())) << "free memory of another stream cannot be used";
}

// Whatever a file claims, stepping forth and back does no harm.
TEST(AllocatorHistory, SurvivesTracesThatContradictThemselves) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    testing::MadeSnapshot made;
    for (int i = 0; i < 60; ++i) {
      const auto action = static_cast<TraceAction>(random() % 10);
      const std::uint64_t address =
          random() % 8 == 0 ? ~std::uint64_t{0} - random() % 99 : (random() % 40) * 512;
      const auto size = static_cast<std::int64_t>(random() % 4000) - 100;
      made.event(action, address, random() % 9 == 0 ? std::int64_t{1} << 62U : size);
    }
    AllocatorHistory history(made.blocks());
    std::vector<Whole> states;
    for (std::size_t i = 0; i <= history.size(); ++i) {
      history.move_to(i);
      states.push_back(whole_state(history));
    }
    for (std::size_t i = history.size() + 1; i-- > 0;) {
      history.move_to(i);
      EXPECT_EQ(whole_state(history), states[i]);
    }
  }
}

}  // namespace
}  // namespace ts::blocks
