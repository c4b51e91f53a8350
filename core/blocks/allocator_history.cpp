#include "core/blocks/allocator_history.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace ts::blocks {
namespace {

using allocator::BlockState;
using allocator::SnapshotBlock;
using allocator::SnapshotSegment;
using allocator::TraceAction;
using allocator::TraceEntry;

constexpr std::int64_t kSmallBuffer = std::int64_t{2} << 20;  // a segment of PyTorch's small pool
constexpr std::int64_t kSmallSize = std::int64_t{1} << 20;    // the largest block in it
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;    // larger sizes of a file are cut

std::int64_t limited(std::int64_t bytes) {
  return std::clamp<std::int64_t>(bytes, 0, kMostBytes);
}
std::uint64_t end_of(std::uint64_t address, std::int64_t size) {
  const std::uint64_t end = address + static_cast<std::uint64_t>(limited(size));
  return end < address ? ~std::uint64_t{0} : end;
}

}  // namespace

AllocatorHistory::AllocatorHistory(const BlockSource& source) : source_(source) {
  const allocator::Snapshot& snapshot = source.snapshot;
  if (source.device < snapshot.device_traces.size()) trace_ = snapshot.device_traces[source.device];
  if (const auto settings = allocator::recorded_settings(snapshot)) settings_ = *settings;
  blocks_.assign(trace_.size(), memory::kNone);
  for (memory::BlockIndex i = 0; i < source.entries.size(); ++i) {
    if (source.entries[i] < blocks_.size()) blocks_[source.entries[i]] = i;
  }
  read_final_state();
  find_start();
  before_.reserve(trace_.size());
  move_to(trace_.size());
}

void AllocatorHistory::read_final_state() {
  for (const SnapshotSegment& segment : source_.snapshot.segments) {
    if (segment.device != static_cast<std::int64_t>(source_.device) || segment.total_size <= 0)
      continue;
    final_ranges_[segment.address] = {.size = limited(segment.total_size),
                                      .stream = segment.stream,
                                      .pool = segment.pool,
                                      .stack = segment.stack,
                                      .small_pool = segment.small_pool,
                                      .expandable = segment.expandable};
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive) continue;
      final_[block.address] = {.size = limited(block.size),
                               .requested = block.requested,
                               .stack = block.stack,
                               .pending = block.state == BlockState::active_pending_free};
    }
  }
}

AllocatorHistory::Range AllocatorHistory::range_of(const TraceEntry& entry) const {
  const bool expandable =
      entry.action == TraceAction::segment_map || entry.action == TraceAction::segment_unmap;
  Range range{.size = limited(entry.size),
              .stream = entry.stream,
              .stack = entry.stack,
              .small_pool = entry.size == kSmallBuffer,
              .expandable = expandable};
  // A segment that is still there tells the rest.
  const auto after = final_ranges_.upper_bound(entry.address);
  if (after == final_ranges_.begin()) return range;
  const auto& [address, known] = *std::prev(after);
  if (entry.address < end_of(address, known.size) && known.expandable == expandable) {
    range.pool = known.pool;
    range.small_pool = known.small_pool;
  }
  return range;
}

AllocatorHistory::Live AllocatorHistory::live_of(const TraceEntry& entry,
                                                 memory::BlockIndex block) const {
  return {.size = settings_.round_size(limited(entry.size)),
          .requested = entry.size,
          .stack = block == memory::kNone ? memory::kNone : source_.stack_of(block),
          .block = block};
}

// Undoes the trace from its end: what remains was there before it.
void AllocatorHistory::find_start() {
  ranges_ = final_ranges_;
  lives_ = final_;
  RangesUndo unused;
  for (std::size_t i = trace_.size(); i-- > 0;) {
    const TraceEntry& entry = trace_[i];
    switch (entry.action) {
      case TraceAction::alloc:
        lives_.erase(entry.address);
        break;
      case TraceAction::free_completed:
        lives_[entry.address] = live_of(entry, memory::kNone);
        lives_[entry.address].pending = true;
        break;
      case TraceAction::free_requested:
        if (const auto live = lives_.find(entry.address); live != lives_.end())
          live->second.pending = false;
        break;
      case TraceAction::segment_alloc:
      case TraceAction::segment_map:
        remove_range(entry.address, entry.size, unused);
        break;
      case TraceAction::segment_free:
      case TraceAction::segment_unmap:
        add_range(entry.address, range_of(entry), unused);
        break;
      default:
        break;
    }
  }
  const auto blocks = source_.log.blocks();
  for (memory::BlockIndex i = 0; i < source_.entries.size(); ++i) {
    if (source_.entries[i] != memory::kNone) continue;
    const auto live = lives_.find(blocks[i].address);
    if (live == lives_.end()) continue;
    live->second.block = i;
    live->second.stack = source_.stack_of(i);
  }
}

void AllocatorHistory::add_range(std::uint64_t address, const Range& range, RangesUndo& undo) {
  if (range.size <= 0) return;
  remove_range(address, range.size, undo);  // whatever lies there was lost
  ranges_[address] = range;
  undo.added.push_back(address);
}

// Ranges that are covered in part keep the rest.
void AllocatorHistory::remove_range(std::uint64_t address, std::int64_t size, RangesUndo& undo) {
  const std::uint64_t end = end_of(address, size);
  auto at = ranges_.upper_bound(address);
  if (at != ranges_.begin()) --at;
  while (at != ranges_.end() && at->first < end) {
    const std::uint64_t begin = at->first;
    const Range range = at->second;
    const std::uint64_t until = end_of(begin, range.size);
    if (until <= address) {
      ++at;
      continue;
    }
    undo.removed.emplace_back(begin, range);
    at = ranges_.erase(at);
    const auto keep = [&](std::uint64_t from, std::uint64_t to) {
      Range rest = range;
      rest.size = static_cast<std::int64_t>(to - from);
      ranges_[from] = rest;
      undo.added.push_back(from);
    };
    if (begin < address) keep(begin, address);
    if (until > end) keep(end, until);
  }
}

AllocatorHistory::Live AllocatorHistory::allocated_by(std::size_t event) const {
  Live fresh = live_of(trace_[event], blocks_[event]);
  // The exact size is known if the block lives to the end.
  const bool stays =
      fresh.block != memory::kNone && source_.log.blocks()[fresh.block].free_event == memory::kNone;
  const auto last = stays ? final_.find(trace_[event].address) : final_.end();
  if (last != final_.end()) fresh.size = last->second.size;
  return fresh;
}

// The block that an event asks to free, or whose free was asked for and it completes; unset for one
// that no event of the trace allocates.
std::optional<AllocatorHistory::Live> AllocatorHistory::made_for(std::size_t event,
                                                                 memory::BlockIndex block) const {
  if (block >= source_.entries.size() || source_.entries[block] >= trace_.size())
    return std::nullopt;
  Live made = allocated_by(source_.entries[block]);
  made.pending = trace_[event].action == TraceAction::free_completed;
  return made;
}

AllocatorHistory::Before AllocatorHistory::note(std::size_t event, const Live& live) {
  if (live.block < kRanges && made_for(event, live.block) == live) return live.block;
  other_lives_.push_back(live);
  return kOtherLive;
}

std::optional<AllocatorHistory::Live> AllocatorHistory::live_before(std::size_t event,
                                                                    Before before) const {
  if (before == kNothing || before == kRanges) return std::nullopt;
  return before == kOtherLive ? other_lives_.back() : made_for(event, before);
}

AllocatorHistory::Before AllocatorHistory::apply(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  switch (entry.action) {
    case TraceAction::alloc: {
      const auto [live, fresh] = lives_.try_emplace(entry.address);
      const Before before = fresh ? kNothing : note(event, live->second);
      live->second = allocated_by(event);
      return before;
    }
    case TraceAction::free_requested:
    case TraceAction::free_completed: {
      const auto live = lives_.find(entry.address);
      if (live == lives_.end()) return kNothing;
      const Before before = note(event, live->second);
      if (entry.action == TraceAction::free_completed) {
        lives_.erase(live);
      } else {
        live->second.pending = true;
      }
      return before;
    }
    case TraceAction::segment_alloc:
    case TraceAction::segment_map:
      add_range(entry.address, range_of(entry), ranges_undo_.emplace_back());
      return kRanges;
    case TraceAction::segment_free:
    case TraceAction::segment_unmap:
      remove_range(entry.address, entry.size, ranges_undo_.emplace_back());
      return kRanges;
    default:
      return kNothing;
  }
}

void AllocatorHistory::take_back(std::size_t event, Before before) {
  const TraceEntry& entry = trace_[event];
  if (before == kRanges) {
    const RangesUndo& undo = ranges_undo_.back();
    for (const std::uint64_t address : undo.added) ranges_.erase(address);
    for (const auto& [address, range] : undo.removed) ranges_[address] = range;
    ranges_undo_.pop_back();
  } else if (const std::optional<Live> live = live_before(event, before)) {
    lives_[entry.address] = *live;
    if (before == kOtherLive) other_lives_.pop_back();
  } else if (entry.action == TraceAction::alloc) {
    lives_.erase(entry.address);
  }
}

void AllocatorHistory::move_to(std::size_t position) {
  position = std::min(position, trace_.size());
  for (; position_ < position; ++position_) before_.push_back(apply(position_));
  while (position_ > position) {
    take_back(--position_, before_.back());
    before_.pop_back();
  }
}

std::optional<memory::BlockIndex> AllocatorHistory::block_at(std::uint64_t address) const {
  const auto live = lives_.find(address);
  if (live == lives_.end() || live->second.block == memory::kNone) return std::nullopt;
  return live->second.block;
}

std::optional<memory::BlockIndex> AllocatorHistory::block_of_event(std::size_t event) const {
  if (event >= blocks_.size()) return std::nullopt;
  if (blocks_[event] != memory::kNone) return blocks_[event];
  const TraceAction action = trace_[event].action;
  if (action != TraceAction::free_requested && action != TraceAction::free_completed)
    return std::nullopt;
  // The event before it at this address that is still known.
  if (event == position_) return block_at(trace_[event].address);
  if (event + 1 != position_) return std::nullopt;
  const std::optional<Live> freed = live_before(event, before_.back());
  if (!freed || freed->block == memory::kNone) return std::nullopt;
  return freed->block;
}

std::size_t AllocatorHistory::bytes() const {
  std::size_t sum = before_.capacity() * sizeof(Before) + other_lives_.capacity() * sizeof(Live) +
                    ranges_undo_.capacity() * sizeof(RangesUndo);
  for (const RangesUndo& undo : ranges_undo_) {
    sum += undo.removed.capacity() * sizeof(undo.removed.front()) +
           undo.added.capacity() * sizeof(undo.added.front());
  }
  return sum;
}

std::vector<SnapshotSegment> AllocatorHistory::segments() const {
  std::vector<SnapshotSegment> segments;
  std::uint64_t end = 0;
  for (const auto& [address, range] : ranges_) {
    const bool continues = !segments.empty() && address == end && range.expandable &&
                           segments.back().expandable && segments.back().stream == range.stream &&
                           segments.back().pool == range.pool;
    if (!continues) {
      SnapshotSegment segment;
      segment.device = static_cast<std::int64_t>(source_.device);
      segment.address = address;
      segment.stream = range.stream;
      segment.pool = range.pool;
      segment.stack = range.stack;
      segment.small_pool = range.small_pool;
      segment.expandable = range.expandable;
      segments.push_back(std::move(segment));
    }
    segments.back().total_size = limited(segments.back().total_size + range.size);
    end = end_of(address, range.size);
  }
  auto live = lives_.begin();
  for (SnapshotSegment& segment : segments) {
    const std::uint64_t last = end_of(segment.address, segment.total_size);
    std::uint64_t at = segment.address;
    const auto free_until = [&](std::uint64_t until) {
      if (until > at) segment.blocks.push_back({at, static_cast<std::int64_t>(until - at)});
    };
    while (live != lives_.end() && live->first < segment.address) ++live;
    for (; live != lives_.end() && live->first < last; ++live) {
      const auto next = std::next(live);
      const std::uint64_t room = next == lives_.end() ? last : std::min(last, next->first);
      const std::uint64_t until = std::min(room, end_of(live->first, live->second.size));
      free_until(live->first);
      SnapshotBlock block;
      block.address = live->first;
      block.size = static_cast<std::int64_t>(until - live->first);
      // A file may tell any number here.
      block.requested = std::clamp<std::int64_t>(live->second.requested, 0, block.size);
      block.stack = live->second.stack;
      block.state =
          live->second.pending ? BlockState::active_pending_free : BlockState::active_allocated;
      segment.active_size += block.size;
      if (!live->second.pending) segment.allocated_size += block.size;
      segment.requested_size += block.requested;
      segment.blocks.push_back(block);
      at = until;
    }
    free_until(last);
  }
  return segments;
}

FreePieces free_pieces(std::span<const SnapshotSegment> segments) {
  FreePieces sum;
  for (const SnapshotSegment& segment : segments) {
    sum.reserved = limited(sum.reserved + limited(segment.total_size));
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != BlockState::inactive) {
        sum.used = limited(sum.used + limited(block.size));
        continue;
      }
      ++sum.pieces;
      sum.largest = std::max(sum.largest, block.size);
    }
  }
  return sum;
}

namespace {

// The bytes that the request behind a segment event or a refusal asks for; 0: not known. A segment
// is taken for the allocation that follows it.
std::int64_t request_behind(std::span<const TraceEntry> trace, std::size_t event) {
  constexpr std::size_t kLook = 8;
  const TraceEntry& entry = trace[event];
  if (entry.action == TraceAction::oom) return limited(entry.size);
  if (entry.action != TraceAction::segment_alloc && entry.action != TraceAction::segment_map)
    return 0;
  for (std::size_t i = event + 1; i < std::min(trace.size(), event + kLook); ++i) {
    if (trace[i].action == TraceAction::alloc)
      return trace[i].stream == entry.stream ? limited(trace[i].size) : 0;
    const bool same = trace[i].action == entry.action;  // a mapping may take several
    if (!same) return 0;
  }
  return 0;
}

}  // namespace

std::optional<Misfit> worst_misfit(const BlockSource& source) {
  std::optional<Misfit> worst;
  if (source.device >= source.snapshot.device_traces.size()) return worst;
  const std::span<const TraceEntry> trace = source.snapshot.device_traces[source.device];
  allocator::AllocatorSettings settings;
  if (const auto recorded = allocator::recorded_settings(source.snapshot)) settings = *recorded;
  AllocatorHistory history(source);
  history.move_to(0);
  const auto rank = [](const Misfit& misfit) {
    return std::tuple(misfit.refused, misfit.free.free());
  };
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::int64_t bytes = request_behind(trace, i);
    if (bytes <= 0) continue;
    const std::int64_t requested = settings.round_size(bytes);
    const bool small = requested <= kSmallSize;
    history.move_to(i);
    std::vector<SnapshotSegment> usable = history.segments();
    std::erase_if(usable, [&](const SnapshotSegment& segment) {
      return segment.stream != trace[i].stream || segment.small_pool != small ||
             segment.pool != allocator::PoolId{};
    });
    const Misfit misfit{.event = i,
                        .requested = requested,
                        .free = free_pieces(usable),
                        .refused = trace[i].action == TraceAction::oom};
    if (misfit.free.free() < requested || misfit.free.largest >= requested) continue;
    if (!worst || rank(misfit) > rank(*worst)) worst = misfit;
  }
  return worst;
}

}  // namespace ts::blocks
