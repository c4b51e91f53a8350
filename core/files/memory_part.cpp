#include "core/files/memory_part.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/files/opened_file.h"

namespace ts::files {
namespace {

using allocator::PoolId;
using allocator::Snapshot;
using allocator::SnapshotSegment;
using allocator::TraceAction;
using allocator::TraceEntry;

// The events that say where and in which stream a block or a segment is.
bool has_place(TraceAction action) {
  return action <= TraceAction::segment_unmap;
}

bool has(const MemoryPart& part, std::int64_t stream, const PoolId& pool) {
  return (!part.stream || *part.stream == stream) && (!part.pool || *part.pool == pool);
}

void keep_segments(const Snapshot& whole, std::size_t device, const MemoryPart& part,
                   Snapshot& to) {
  std::ranges::copy_if(
      whole.segments, std::back_inserter(to.segments), [&](const SnapshotSegment& one) {
        return one.device == static_cast<std::int64_t>(device) && has(part, one.stream, one.pool);
      });
}

// By entry of the trace of the whole: its block there.
std::vector<memory::BlockIndex> blocks_by_entry(const OpenedDevice& whole) {
  std::vector<memory::BlockIndex> blocks(whole.trace_events, memory::kNone);
  for (std::size_t block = 0; block < whole.entries.size(); ++block) {
    if (whole.entries[block] < blocks.size())
      blocks[whole.entries[block]] = static_cast<memory::BlockIndex>(block);
  }
  return blocks;
}

bool is_recorded(const OpenedDevice& device, std::size_t block) {
  return block < device.entries.size() && device.entries[block] != memory::kNone;
}

// Blocks that lived before the trace have different addresses.
std::unordered_map<std::uint64_t, memory::BlockIndex> earlier_by_address(
    const OpenedDevice& whole) {
  std::unordered_map<std::uint64_t, memory::BlockIndex> blocks;
  const auto all = whole.run.memory.blocks();
  for (std::size_t block = 0; block < all.size(); ++block) {
    if (!is_recorded(whole, block))
      blocks.try_emplace(all[block].address, static_cast<memory::BlockIndex>(block));
  }
  return blocks;
}

void find_in_whole(OpenedDevice& part, const OpenedDevice& whole,
                   const std::vector<std::uint32_t>& entries) {
  const auto by_entry = blocks_by_entry(whole);
  const auto earlier = earlier_by_address(whole);
  const auto blocks = part.run.memory.blocks();
  part.in_whole.assign(blocks.size(), memory::kNone);
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (is_recorded(part, block)) {
      part.in_whole[block] = by_entry[entries[part.entries[block]]];
    } else if (const auto found = earlier.find(blocks[block].address); found != earlier.end()) {
      part.in_whole[block] = found->second;
    }
  }
}

}  // namespace

bool has_part(const MemoryParts& parts, const MemoryPart& part) {
  return (!part.stream || std::ranges::find(parts.streams, *part.stream) != parts.streams.end()) &&
         (!part.pool || std::ranges::find(parts.pools, *part.pool) != parts.pools.end());
}

MemoryParts parts_of(const Snapshot& snapshot, std::size_t device) {
  std::set<std::int64_t> streams;
  std::set<PoolId> pools;
  auto add = [&, last = std::optional<std::pair<std::int64_t, PoolId>>()](
                 std::int64_t stream, const PoolId& pool) mutable {
    if (last && last->first == stream && last->second == pool) return;
    last.emplace(stream, pool);
    streams.insert(stream);
    pools.insert(pool);
  };
  const allocator::PrivatePools private_pools(snapshot, device);
  if (device < snapshot.device_traces.size()) {
    for (const TraceEntry& entry : snapshot.device_traces[device])
      if (has_place(entry.action)) add(snapshot.stream_of(entry), private_pools.of(entry));
  }
  for (const SnapshotSegment& segment : snapshot.segments)
    if (segment.device == static_cast<std::int64_t>(device)) add(segment.stream, segment.pool);
  return {.streams = {streams.begin(), streams.end()}, .pools = {pools.begin(), pools.end()}};
}

namespace {

// All of the whole but what belongs to its devices.
Snapshot without_devices(const Snapshot& whole) {
  Snapshot to;
  to.strings = whole.strings;
  to.stacks = whole.stacks;
  to.notes = whole.notes;
  to.metadata = whole.metadata;
  to.histories = whole.histories;
  to.layout = whole.layout;
  to.external_annotations = whole.external_annotations;
  to.allocator_settings = whole.allocator_settings;
  return to;
}

// Adds the part of one device; returns the numbers of the kept events in its whole trace.
std::vector<std::uint32_t> add_part(const Snapshot& whole, std::size_t device,
                                    const MemoryPart& part, Snapshot& to) {
  std::vector<std::uint32_t> entries;
  to.device_traces.resize(std::max(to.device_traces.size(), device + 1));
  keep_segments(whole, device, part, to);
  if (device >= whole.device_traces.size()) return entries;
  const allocator::PrivatePools private_pools(whole, device);
  const auto& trace = whole.device_traces[device];
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const TraceEntry& entry = trace[i];
    if (has_place(entry.action) && !has(part, whole.stream_of(entry), private_pools.of(entry)))
      continue;
    entries.push_back(static_cast<std::uint32_t>(i));
    to.device_traces[device].push_back(entry);
  }
  return entries;
}

// Those of a range that are among the kept events: in the whole trace they lie one after another.
base::RangeEvents kept_of(const base::RangeEvents& all, const std::vector<std::uint32_t>& kept) {
  const auto before = std::ranges::lower_bound(kept, all.before) - kept.begin();
  return {kept.size() - static_cast<std::size_t>(before), static_cast<std::size_t>(before)};
}

}  // namespace

Snapshot part_of(const Snapshot& whole, std::size_t device, const MemoryPart& part,
                 std::vector<std::uint32_t>& entries) {
  Snapshot to = without_devices(whole);
  entries = add_part(whole, device, part, to);
  return to;
}

std::unique_ptr<OpenedFile> narrowed(const OpenedFile& whole, std::span<const OpenedDevice> devices,
                                     const MemoryPart& part) {
  auto opened = std::make_unique<OpenedFile>();
  opened->path = whole.path;
  opened->file = {.snapshot = without_devices(whole.file.snapshot),
                  .fault = whole.file.fault,
                  .ignored_keys = whole.file.ignored_keys,
                  .bytes = whole.file.bytes,
                  .packed = whole.file.packed,
                  .pickle_protocol = whole.file.pickle_protocol};
  std::vector<std::vector<std::uint32_t>> entries;
  opened->file.in_range.resize(whole.file.in_range.size());
  for (const OpenedDevice& device : devices) {
    const auto number = static_cast<std::size_t>(device.number);
    entries.push_back(add_part(whole.file.snapshot, number, part, opened->file.snapshot));
    if (number < whole.file.in_range.size())
      opened->file.in_range[number] = kept_of(whole.file.in_range[number], entries.back());
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    OpenedDevice& narrow =
        opened->devices.emplace_back(open_device(opened->file.snapshot, devices[i].number));
    narrow.parts = devices[i].parts;
    narrow.part = part;
    find_in_whole(narrow, devices[i], entries[i]);
    take_categories(narrow, devices[i]);
  }
  return opened;
}

std::vector<std::uint32_t> in_whole(const OpenedDevice& part,
                                    std::span<const std::uint32_t> blocks) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t block : blocks) {
    if (block < part.in_whole.size() && part.in_whole[block] != memory::kNone)
      found.push_back(part.in_whole[block]);
  }
  return found;
}

void take_categories(OpenedDevice& part, const OpenedDevice& whole) {
  const auto all = whole.run.memory.blocks();
  memory::AllocationLog& log = part.run.memory;
  std::vector<memory::Category> categories(log.blocks().size(), memory::Category::unknown);
  part.corrected.assign(whole.corrected.empty() ? 0 : categories.size(), false);
  for (std::size_t block = 0; block < categories.size(); ++block) {
    const memory::BlockIndex there = part.in_whole[block];
    if (there == memory::kNone) continue;
    categories[block] = all[there].category;
    if (!part.corrected.empty()) part.corrected[block] = whole.corrected[there];
  }
  const auto phases = whole.run.memory.phases();
  log.decide(categories, {phases.begin(), phases.end()});
  part.guessed_share.reset();
  if (whole.guessed_share) part.guessed_share = guessed_share(part);
}

}  // namespace ts::files
