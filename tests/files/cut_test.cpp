// A range of a snapshot's events says what the whole says of that time, be it cut out of the whole
// or left over as the file is read.
#include "core/files/cut.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/allocator/log_of_snapshot.h"
#include "core/allocator/snapshot_figures.h"
#include "core/blocks/allocator_history.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/allocator/random_program.h"
#include "tests/allocator/recorded_program.h"

namespace ts::files {
namespace {

using allocator::Snapshot;

// A program that allocates and frees at random; every second one has expandable segments. The
// first half of the events is lost, as by a full ring buffer.
Snapshot recorded(std::uint32_t seed) {
  allocator::AllocatorSettings settings;
  settings.expandable_segments = seed % 2 == 1;
  allocator::Snapshot snapshot =
      allocator::testing::recorded_program(allocator::testing::RandomProgram(seed).make(300),
                                           settings, {std::int64_t{300} << 20, 0, std::nullopt});
  auto& trace = snapshot.device_traces[0];
  trace.erase(trace.begin(), trace.begin() + static_cast<long>(trace.size() / 2));
  std::int64_t time_us = 1'000'000;
  for (auto& entry : trace) entry.time_us = time_us += 1'000;
  return snapshot;
}

std::string bytes_of(const Snapshot& snapshot, snapshot::SnapshotFormat format) {
  std::string bytes;
  snapshot::write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  return bytes;
}

// The content that a reader leaves, cut.
Snapshot part_in(const std::string& bytes, const base::FileRange& range) {
  io::Input input = io::Input::in_pieces(bytes, 500);
  auto file = snapshot::parse_snapshot(input, nullptr, range);
  EXPECT_TRUE(file) << file.error().sentence;
  if (!file) return {};
  cut(*file, range);
  return std::move(file->snapshot);
}

// Segments and live blocks after so many events.
using State = std::vector<std::tuple<std::uint64_t, std::int64_t, std::int64_t>>;
State state_of(const Snapshot& snapshot, std::size_t events) {
  const allocator::SnapshotLog log = allocator::log_of_snapshot(snapshot, 0);
  blocks::AllocatorHistory history(blocks::source_of(snapshot, 0, log));
  history.move_to(events);
  State state;
  for (const auto& segment : history.segments()) {
    state.emplace_back(segment.address, segment.total_size, -1);
    for (const auto& block : segment.blocks)
      if (block.state != allocator::BlockState::inactive)
        state.emplace_back(block.address, block.requested, static_cast<int>(block.state));
  }
  return state;
}

class Ranges : public ::testing::TestWithParam<int> {
 protected:
  Snapshot whole_ = recorded(static_cast<std::uint32_t>(GetParam()));
  std::size_t count_ = whole_.device_traces.at(0).size();
};

TEST_P(Ranges, HaveTheStateOfTheWholeAtBothEnds) {
  const std::string pickle = bytes_of(whole_, snapshot::SnapshotFormat::pickle);
  const std::string json = bytes_of(whole_, snapshot::SnapshotFormat::json);
  for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, count_ / 3},
                                 {count_ / 3, count_ / 2},
                                 {count_ / 2, count_},
                                 {count_ / 4, count_ / 4 + 1},
                                 {count_ - 1, count_ + 50}}) {
    SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
    const base::FileRange events{.from = static_cast<double>(from), .to = static_cast<double>(to)};
    // Every event has a millisecond.
    const base::FileRange seconds{base::FileRange::Unit::seconds,
                                  static_cast<double>(from) * 1e-3 - 1e-4,
                                  static_cast<double>(to) * 1e-3 - 1e-4};
    const Snapshot part = part_in(pickle, events);
    ASSERT_EQ(part.device_traces.size(), 1U);
    const std::size_t inside = std::min(to, count_) - from;
    const std::size_t before = part.device_traces[0].size() - inside;
    EXPECT_EQ(state_of(part, before), state_of(whole_, from));
    EXPECT_EQ(state_of(part, part.device_traces[0].size()), state_of(whole_, std::min(to, count_)));
    for (std::size_t i = 0; i < inside; ++i) {
      EXPECT_EQ(part.device_traces[0][before + i].time_us,
                whole_.device_traces[0][from + i].time_us);
    }
    for (const Snapshot& same : {part_in(json, events), part_in(pickle, seconds)}) {
      EXPECT_EQ(same.device_traces[0].size(), part.device_traces[0].size());
      EXPECT_EQ(state_of(same, before), state_of(part, before));
      EXPECT_EQ(same.segments.size(), part.segments.size());
    }
  }
}

TEST_P(Ranges, HaveThePeakOfTheirTime) {
  const std::string pickle = bytes_of(whole_, snapshot::SnapshotFormat::pickle);
  const std::size_t from = count_ / 3;
  const std::size_t to = count_ * 2 / 3;
  const Snapshot part =
      part_in(pickle, {.from = static_cast<double>(from), .to = static_cast<double>(to)});
  std::int64_t peak = 0;
  for (std::size_t event = from; event <= to; ++event) {
    std::int64_t sum = 0;
    for (const auto& [address, bytes, kind] : state_of(whole_, event))
      if (kind == static_cast<int>(allocator::BlockState::active_allocated) ||
          kind == static_cast<int>(allocator::BlockState::active_pending_free))
        sum += bytes;
    peak = std::max(peak, sum);
  }
  EXPECT_EQ(allocator::allocated_bytes(part, 0).peak, peak);
}

INSTANTIATE_TEST_SUITE_P(Program, Ranges, ::testing::Range(0, 8));

TEST(Range, OfEverythingChangesNothing) {
  const Snapshot whole = recorded(3);
  const std::string pickle = bytes_of(whole, snapshot::SnapshotFormat::pickle);
  EXPECT_EQ(bytes_of(part_in(pickle, {}), snapshot::SnapshotFormat::pickle), pickle);
}

// So does one that begins behind the last event: what is alive then is there.
TEST(Range, BehindTheEndHasTheEnd) {
  const Snapshot whole = recorded(2);
  const Snapshot part = part_in(bytes_of(whole, snapshot::SnapshotFormat::pickle), {.from = 1e9});
  EXPECT_EQ(part.segments.size(), whole.segments.size());
  EXPECT_EQ(allocator::allocated_bytes(part, 0).end, allocator::allocated_bytes(whole, 0).end);
}

}  // namespace
}  // namespace ts::files
