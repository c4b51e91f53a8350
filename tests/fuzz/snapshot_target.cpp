#include "tests/fuzz/snapshot_target.h"

#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/io/snapshot_read.h"
#include "core/io/snapshot_write.h"
#include "core/memory/replay.h"
#include "tests/io/random_snapshot.h"

namespace ts::fuzz {
namespace {

// JSON carries valid UTF-8 and finite numbers only, so only pickles come back as they were.
void check_round_trip(const memory::Snapshot& snapshot, io::SnapshotFormat format) {
  std::string bytes;
  io::write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  const auto again = io::parse_snapshot(std::move(bytes));
  TS_CHECK(again && again->fault.empty());
  TS_CHECK(again->snapshot.segments.size() == snapshot.segments.size());
  TS_CHECK(again->snapshot.entry_count() == snapshot.entry_count());
  if (format == io::SnapshotFormat::pickle) {
    TS_CHECK(io::testing::in_words(again->snapshot) == io::testing::in_words(snapshot));
  }
}

void replay_all(const memory::Snapshot& snapshot) {
  memory::ReplayOptions expandable;
  expandable.settings.emplace().expandable_segments = true;
  memory::ReplayOptions small;
  small.capacity = std::int64_t{64} << 20;
  for (std::size_t device = 0; device < snapshot.device_traces.size(); ++device) {
    const auto result = memory::replay(snapshot, device);
    TS_CHECK(result || !result.error().sentence.empty());
    (void)memory::replay(snapshot, device, expandable);
    (void)memory::replay(snapshot, device, small);
  }
}

}  // namespace

void feed_snapshot(std::string bytes) {
  const auto file = io::parse_snapshot(std::move(bytes));
  if (!file) {
    TS_CHECK(!file.error().sentence.empty());
    return;
  }
  replay_all(file->snapshot);
  check_round_trip(file->snapshot, io::SnapshotFormat::pickle);
  check_round_trip(file->snapshot, io::SnapshotFormat::json);
}

}  // namespace ts::fuzz
