#include "core/allocator/replay_start.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>

#include "core/allocator/caching_allocator_state.h"
#include "core/allocator/replay_ranges.h"
#include "core/text/message.h"

namespace ts::allocator {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;
constexpr std::int64_t kMostBytesInAll = std::int64_t{1} << 60;
constexpr std::size_t kMostStreams = 1 << 16;
constexpr std::uint64_t kLastAddress = std::uint64_t{1} << 62;

struct LiveBlock {
  std::int64_t size = 0;
  std::int64_t requested = 0;
  bool size_is_known = false;  // else the rounded request, without a rest that was not split off
  std::optional<std::size_t> freed_by;  // the event
};

// Walks the trace of a device backwards.
class Walk {
 public:
  Walk(const Snapshot& snapshot, std::size_t device, const AllocatorSettings& recorded,
       const PrivatePools& private_pools)
      : snapshot_(snapshot),
        trace_(snapshot.device_traces[device]),
        recorded_(recorded),
        private_pools_(private_pools) {
    for (const SnapshotSegment& segment : snapshot.segments) {
      if (segment.device == static_cast<std::int64_t>(device)) segments_.push_back(&segment);
    }
  }

  base::Result<ReplayStart> run() {
    TS_TRY_DONE(check_sizes());
    take_end_state();
    start_.odd_events.resize(trace_.size());
    for (std::size_t i = trace_.size(); i > 0; --i)
      if (!undo(i - 1)) start_.odd_events[i - 1] = true;
    complete_sizes();
    return assemble();
  }

 private:
  base::Result<void> check_sizes() const;
  void take_end_state();
  bool undo(std::size_t event);
  void note_odd(const LiveBlock& block);
  bool undo_release(const TraceEntry& entry);
  void complete_sizes();
  base::Result<ReplayStart> assemble();
  SegmentView view_of(std::uint64_t address, const MappedRange& range);
  void add_mapped(SegmentView view, std::uint64_t taken);
  void end_reservation(std::uint64_t next);

  using Live = std::map<std::uint64_t, LiveBlock>;
  [[nodiscard]] std::uint64_t gap_end(Live::const_iterator block) const;

  const Snapshot& snapshot_;
  std::span<const TraceEntry> trace_;
  const AllocatorSettings& recorded_;
  const PrivatePools& private_pools_;
  std::vector<const SnapshotSegment*> segments_;
  MappedRanges ranges_;
  Live live_;
  std::optional<std::uint64_t> open_stretch_;  // of the last reservation, while it may grow
  ReplayStart start_;
};

std::int64_t page_of(const SegmentView& view) {
  return view.small_pool ? kSmallBuffer : kLargeBuffer;
}

base::Result<void> Walk::check_sizes() const {
  const auto sound = [](std::uint64_t address, std::int64_t size) {
    return size > 0 && size <= kMostBytes && address <= kLastAddress;
  };
  std::int64_t total = 0;
  const auto add = [&total](std::int64_t size) { return (total += size) <= kMostBytesInAll; };
  for (const SnapshotSegment* segment : segments_) {
    bool good = sound(segment->address, segment->total_size) && add(segment->total_size);
    std::uint64_t at = segment->address;
    for (const SnapshotBlock& block : segment->blocks) {
      good = good && block.address == at && sound(at, block.size) && block.requested >= 0;
      at += static_cast<std::uint64_t>(block.size);
    }
    const std::uint64_t end = segment->address + static_cast<std::uint64_t>(segment->total_size);
    if (!good || (at != end && !segment->blocks.empty())) {
      return text::fail("replay_error.segment", {{"address", std::to_string(segment->address)}});
    }
  }
  std::unordered_set<std::int64_t> streams;
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    const TraceEntry& entry = trace_[i];
    if (entry.action > TraceAction::segment_unmap) continue;
    streams.insert(snapshot_.stream_of(entry));
    const bool is_segment = entry.action >= TraceAction::segment_alloc;
    if (!sound(entry.address, entry.size) || (is_segment && !add(entry.size))) {
      return text::fail("replay_error.event", {{"event", std::to_string(i)},
                                               {"bytes", std::to_string(entry.size)},
                                               {"address", std::to_string(entry.address)}});
    }
  }
  if (streams.size() > kMostStreams) return text::fail("replay_error.streams");
  return {};
}

void Walk::take_end_state() {
  for (const SnapshotSegment* segment : segments_) {
    if (segment->pool != PoolId{}) {
      start_.private_reserved += segment->total_size;
      continue;
    }
    const MappedRange range{segment->total_size, segment->stream, segment->small_pool,
                            segment->expandable};
    ranges_.note(segment->address, range);
    if (!ranges_.add(segment->address, range)) ++start_.odd_places;
    for (const SnapshotBlock& block : segment->blocks) {
      if (block.state != BlockState::inactive) {
        live_[block.address] = {block.size, block.requested, true, {}};
      }
    }
  }
  for (const TraceEntry& entry : trace_) {
    // A mapping of the small pool is one page of 2 MiB, of the large one whole pages of 20 MiB.
    if (entry.action == TraceAction::segment_map && !private_pools_.holds(entry)) {
      ranges_.note(entry.address,
                   {entry.size, snapshot_.stream_of(entry), entry.size % kLargeBuffer != 0, true});
    }
  }
}

// False: it contradicts what is known.
bool Walk::undo(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  const bool is_private = private_pools_.holds(entry);
  bool good = true;
  switch (entry.action) {
    case TraceAction::alloc:
      good = is_private || live_.erase(entry.address) == 1;
      break;
    case TraceAction::free_completed:
      good = is_private ||
             live_
                 .try_emplace(entry.address,
                              LiveBlock{recorded_.round_size(entry.size), entry.size, false, event})
                 .second;
      break;
    case TraceAction::segment_alloc:
    case TraceAction::segment_map:
      if (is_private) {
        start_.private_reserved -= entry.size;
      } else {
        good = ranges_.remove(entry.address, entry.size);
      }
      break;
    case TraceAction::segment_free:
    case TraceAction::segment_unmap:
      if (is_private) {
        start_.private_reserved += entry.size;
      } else {
        good = undo_release(entry);
      }
      break;
    default:
      break;
  }
  return good;
}

void Walk::note_odd(const LiveBlock& block) {
  if (block.freed_by) {
    start_.odd_events[*block.freed_by] = true;
  } else {
    ++start_.odd_places;
  }
}

bool Walk::undo_release(const TraceEntry& entry) {
  const std::int64_t stream = snapshot_.stream_of(entry);
  MappedRange range{entry.size, stream, false, entry.action == TraceAction::segment_unmap};
  if (range.expandable) {
    // Any number of pages may be unmapped, so their size does not always identify the pool.
    range.small_pool =
        ranges_.small_pool_near(entry.address, stream).value_or(entry.size % kLargeBuffer != 0);
  } else {
    range.small_pool = entry.size <= kSmallBuffer;  // large segments have at least 10 MiB
  }
  ranges_.note(entry.address, range);
  return ranges_.add(entry.address, range);
}

std::uint64_t Walk::gap_end(Live::const_iterator block) const {
  const std::uint64_t end = ranges_.end_of_range_at(block->first);
  const auto next = std::next(block);
  return next == live_.end() ? end : std::min(end, next->first);
}

// A large block whose rest was 1 MiB or less was handed out whole. For blocks that are freed within
// the trace only the request is known; the memory after them gives the rest.
void Walk::complete_sizes() {
  const auto end_of = [](Live::const_iterator block) {
    return block->first + static_cast<std::uint64_t>(block->second.size);
  };
  std::map<std::uint64_t, Live::iterator> open;  // by the begin of the gap behind the block
  for (auto block = live_.begin(); block != live_.end(); ++block) {
    const MappedRange* range = ranges_.at(block->first);
    if (block->second.size_is_known || range == nullptr || range->small_pool || range->expandable) {
      continue;
    }
    const std::uint64_t end = end_of(block);
    const std::uint64_t gap = gap_end(block) > end ? gap_end(block) - end : 0;
    if (gap == 0) continue;
    // Free large blocks are larger than this gap.
    if (gap <= static_cast<std::uint64_t>(kSmallSize)) {
      block->second.size += static_cast<std::int64_t>(gap);
    } else {
      open[end] = block;
    }
  }
  for (const TraceEntry& entry : trace_) {
    if (open.empty()) return;
    if (entry.action != TraceAction::alloc && entry.action != TraceAction::free_completed) continue;
    auto found = open.upper_bound(entry.address);
    if (entry.action == TraceAction::free_completed) {
      // Its gap is directly after it, so later merges of the gap do not matter.
      if (found != open.end() && found->second->first == entry.address) open.erase(found);
      continue;
    }
    // The first allocation after a block begins where the block really ends.
    if (found == open.begin()) continue;
    --found;
    const std::uint64_t rest = entry.address - found->first;
    if (entry.address >= gap_end(found->second)) continue;
    if (rest <= static_cast<std::uint64_t>(kSmallSize)) {
      found->second->second.size += static_cast<std::int64_t>(rest);
    }
    open.erase(found);
  }
}

SegmentView Walk::view_of(std::uint64_t address, const MappedRange& range) {
  SegmentView view{.address = address,
                   .size = range.size,
                   .stream = range.stream,
                   .small_pool = range.small_pool,
                   .expandable = range.expandable};
  const std::uint64_t end = address + static_cast<std::uint64_t>(range.size);
  std::uint64_t at = address;
  const auto add_free = [&](std::uint64_t to) {
    if (to > at) view.blocks.push_back({at, static_cast<std::int64_t>(to - at), 0, false});
  };
  for (auto block = live_.lower_bound(address); block != live_.end() && block->first < end;) {
    const std::uint64_t block_end = block->first + static_cast<std::uint64_t>(block->second.size);
    const auto next = std::next(block);
    if (block->first < at || block_end > end || (next != live_.end() && next->first < block_end)) {
      note_odd(block->second);
    } else {
      add_free(block->first);
      view.blocks.push_back({block->first, block->second.size, block->second.requested, true});
      at = block_end;
    }
    live_.erase(block);
    block = next;
  }
  add_free(end);
  return view;
}

base::Result<ReplayStart> Walk::assemble() {
  start_.reservation_size = ranges_.reservation_size();
  std::uint64_t taken = 0;  // addresses below are in use
  for (const auto& [address, range] : ranges_.all()) {
    SegmentView view = view_of(address, range);
    start_.reserved += range.size;
    if (range.expandable) {
      add_mapped(std::move(view), taken);
    } else {
      end_reservation(address);
      start_.segments.push_back(std::move(view));
    }
    taken = address + static_cast<std::uint64_t>(range.size);
  }
  end_reservation(kLastAddress * 2);
  for (const auto& [address, block] : live_) note_odd(block);  // outside of all segments
  for (const auto& reservation : start_.reservations) {
    const std::int64_t page = page_of(reservation.ranges.front());
    for (const SegmentView& view : reservation.ranges) {
      const auto offset = static_cast<std::int64_t>(view.address - reservation.address);
      if (offset % page != 0 || view.size % page != 0) {
        return text::fail("replay_error.pages", {{"address", std::to_string(view.address)}});
      }
    }
  }
  return std::move(start_);
}

// Adds mapped pages to the expandable segment that they belong to. Unmapped pages below them are
// included, since pages are mapped from the lowest address on.
void Walk::add_mapped(SegmentView view, std::uint64_t taken) {
  const std::uint64_t stretch_begin = ranges_.stretch_of(view.address).first;
  const std::uint64_t view_end = view.address + static_cast<std::uint64_t>(view.size);
  auto& reservations = start_.reservations;
  if (open_stretch_ != stretch_begin || reservations.back().ranges.back().stream != view.stream ||
      reservations.back().ranges.back().small_pool != view.small_pool) {
    end_reservation(view.address);
    const auto page = static_cast<std::uint64_t>(page_of(view));
    const std::uint64_t lowest = std::max(std::min(stretch_begin, view.address), taken);
    const std::uint64_t begin = view.address - (view.address - lowest) / page * page;
    reservations.push_back({begin, 0, {}});
    open_stretch_ = stretch_begin;
  }
  auto& reservation = reservations.back();
  // Use the common size, unless other memory is found inside it.
  reservation.size =
      std::max(static_cast<std::int64_t>(view_end - reservation.address), start_.reservation_size);
  reservation.ranges.push_back(std::move(view));
}

// Ends the open reservation; the following memory begins at `next`.
void Walk::end_reservation(std::uint64_t next) {
  if (open_stretch_) {
    auto& reservation = start_.reservations.back();
    reservation.size =
        std::min(reservation.size, static_cast<std::int64_t>(next - reservation.address));
  }
  open_stretch_.reset();
}

}  // namespace

std::int64_t ReplayStart::total_memory() const {
  constexpr std::int64_t kReservation = std::int64_t{1} << 41;  // if a recording has none
  const std::int64_t reservation = reservation_size > 0 ? reservation_size : kReservation;
  return reservation - reservation / 9;  // they reserve an eighth more than the device has
}

base::Result<ReplayStart> find_replay_start(const Snapshot& snapshot, std::size_t device,
                                            const AllocatorSettings& recorded,
                                            const PrivatePools& private_pools) {
  return Walk(snapshot, device, recorded, private_pools).run();
}

}  // namespace ts::allocator
