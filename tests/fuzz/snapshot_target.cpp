#include "tests/fuzz/snapshot_target.h"

#include <string_view>
#include <utility>

#include "core/allocator/replay.h"
#include "core/base/check.h"
#include "core/snapshot/snapshot_read.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/snapshot/random_snapshot.h"

namespace ts::fuzz {
namespace {

// JSON carries valid UTF-8 and finite numbers only, so only pickles come back as they were.
void check_round_trip(const allocator::Snapshot& snapshot, snapshot::SnapshotFormat format) {
  std::string bytes;
  snapshot::write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  const auto again = snapshot::parse_snapshot(std::move(bytes));
  TS_CHECK(again && again->fault.empty());
  TS_CHECK(again->snapshot.segments.size() == snapshot.segments.size());
  TS_CHECK(again->snapshot.entry_count() == snapshot.entry_count());
  if (format == snapshot::SnapshotFormat::pickle) {
    TS_CHECK(snapshot::testing::in_words(again->snapshot) == snapshot::testing::in_words(snapshot));
  }
}

void replay_all(const allocator::Snapshot& snapshot) {
  allocator::ReplayOptions expandable;
  expandable.settings.emplace().expandable_segments = true;
  allocator::ReplayOptions small;
  small.capacity = std::int64_t{64} << 20;
  for (std::size_t device = 0; device < snapshot.device_traces.size(); ++device) {
    const auto result = allocator::replay(snapshot, device);
    TS_CHECK(result || !result.error().sentence.empty());
    (void)allocator::replay(snapshot, device, expandable);
    (void)allocator::replay(snapshot, device, small);
  }
}

}  // namespace

void feed_snapshot(std::string bytes) {
  const auto file = snapshot::parse_snapshot(std::move(bytes));
  if (!file) {
    TS_CHECK(!file.error().sentence.empty());
    return;
  }
  replay_all(file->snapshot);
  check_round_trip(file->snapshot, snapshot::SnapshotFormat::pickle);
  check_round_trip(file->snapshot, snapshot::SnapshotFormat::json);
}

}  // namespace ts::fuzz
