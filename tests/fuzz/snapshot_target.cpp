#include "tests/fuzz/snapshot_target.h"

#include <optional>
#include <string_view>
#include <utility>

#include "core/allocator/replay.h"
#include "core/allocator/snapshot_figures.h"
#include "core/base/check.h"
#include "core/blocks/allocator_history.h"
#include "core/blocks/block_difference.h"
#include "core/blocks/block_facts.h"
#include "core/blocks/block_search.h"
#include "core/blocks/flame_graph.h"
#include "core/blocks/growth.h"
#include "core/files/cut.h"
#include "core/snapshot/pickle.h"
#include "core/snapshot/snapshot_convert.h"
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
    TS_CHECK(snapshot::testing::as_text(again->snapshot) == snapshot::testing::as_text(snapshot));
  }
}

// Events that are read without a dictionary say what dictionaries say.
void check_event_forms(const std::string& bytes) {
  const auto read = [&bytes](snapshot::EventForm form) -> std::optional<snapshot::SnapshotFile> {
    snapshot::Document document(bytes.size());
    auto parsed = snapshot::read_pickle(bytes, document, form);
    if (!parsed) return std::nullopt;
    auto file = snapshot::convert_snapshot(document, parsed->root);
    if (!parsed->fault.empty()) file.fault = std::move(parsed->fault);
    return file;
  };
  const auto fast = read(snapshot::EventForm::events);
  const auto slow = read(snapshot::EventForm::dictionaries);
  if (fast && is_fault_of_event(fast->fault.sentence)) return;
  TS_CHECK(fast.has_value() == slow.has_value());
  if (!fast) return;
  TS_CHECK(fast->fault.empty() == slow->fault.empty());
  TS_CHECK(snapshot::testing::as_text(fast->snapshot) ==
           snapshot::testing::as_text(slow->snapshot));
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

// The questions of the window and the commands about an opened file.
void ask_blocks(const allocator::Snapshot& snapshot) {
  for (const std::size_t device : allocator::devices_of(snapshot)) {
    const allocator::SnapshotLog log = allocator::log_of_snapshot(snapshot, device);
    const blocks::BlockSource source = blocks::source_of(snapshot, device, log);
    const memory::EventIndex peak = log.log.peak_event();
    for (const auto by : {blocks::GroupBy::frame, blocks::GroupBy::stack, blocks::GroupBy::size})
      (void)blocks::group_blocks(source, by, blocks::Weight::alive, peak);
    (void)blocks::flame_graph(source, blocks::Weight::lifetime, peak);
    (void)blocks::find_blocks(source, "a >=1KiB");
    (void)blocks::find_growth(source);
    (void)blocks::worst_misfit(source);
    TS_CHECK(blocks::difference_of({source, peak}, {source, peak}).empty());
    for (memory::BlockIndex i = 0; i < log.log.blocks().size(); ++i)
      (void)blocks::facts_of(source, i);
    blocks::AllocatorHistory history(source);
    const auto end = blocks::free_pieces(history.segments());
    history.move_to(0);
    history.move_to(history.size());
    TS_CHECK(blocks::free_pieces(history.segments()).pieces == end.pieces);
  }
}

// A part of the events, left over as the file is read and cut.
void ask_ranges(const std::string& bytes) {
  using Unit = base::FileRange::Unit;
  for (const base::FileRange& range :
       {base::FileRange{Unit::events, 2, 7}, base::FileRange{Unit::events, 5},
        base::FileRange{Unit::seconds, 1e-5, 1}}) {
    io::Input input = io::Input::of(bytes);
    auto file = snapshot::parse_snapshot(input, nullptr, range);
    if (!file) continue;
    files::cut(*file, range);
    for (const std::size_t device : allocator::devices_of(file->snapshot))
      (void)allocator::log_of_snapshot(file->snapshot, device);
    check_round_trip(file->snapshot, snapshot::SnapshotFormat::pickle);
  }
}

}  // namespace

bool is_fault_of_event(const std::string& sentence) {
  for (const char* words : {"an event of a trace", "added to what cannot hold"})
    if (sentence.find(words) != std::string::npos) return true;
  return false;
}

void feed_snapshot(std::string bytes) {
  ask_ranges(bytes);
  if (bytes.starts_with('\x80')) check_event_forms(bytes);
  const auto file = snapshot::parse_snapshot(std::move(bytes));
  if (!file) {
    TS_CHECK(!file.error().sentence.empty());
    return;
  }
  replay_all(file->snapshot);
  ask_blocks(file->snapshot);
  check_round_trip(file->snapshot, snapshot::SnapshotFormat::pickle);
  check_round_trip(file->snapshot, snapshot::SnapshotFormat::json);
}

}  // namespace ts::fuzz
