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

// Between states that are kept: 30 ms of events, and so many for each block of a state that the
// states have less than 3 bytes for an event.
constexpr std::size_t kLeastSpacing = 65536;
constexpr std::size_t kSpacingOfBlock = 16;

std::int64_t limited(std::int64_t bytes) {
  return std::clamp<std::int64_t>(bytes, 0, kMostBytes);
}
std::uint64_t end_of(std::uint64_t address, std::int64_t size) {
  const std::uint64_t end = address + static_cast<std::uint64_t>(limited(size));
  return end < address ? ~std::uint64_t{0} : end;
}

}  // namespace

AllocatorHistory::AllocatorHistory(const BlockSource& source)
    : notes_(source.snapshot.notes.values()),
      device_(static_cast<std::int64_t>(source.device)),
      log_(source.log.blocks()),
      stacks_(source.stacks),
      entries_(source.entries) {
  const allocator::Snapshot& snapshot = source.snapshot;
  if (source.device < snapshot.device_traces.size()) trace_ = snapshot.device_traces[source.device];
  if (const auto settings = allocator::recorded_settings(snapshot)) settings_ = *settings;
  const auto is_earlier = [](std::uint32_t entry) { return entry == memory::kNone; };
  next_block_ =
      static_cast<std::size_t>(std::ranges::find_if_not(entries_, is_earlier) - entries_.begin());
  read_final_state(snapshot.segments);
  find_start();
  go_to_end();
}

void AllocatorHistory::read_final_state(std::span<const SnapshotSegment> segments) {
  for (const SnapshotSegment& segment : segments) {
    if (segment.device != device_ || segment.total_size <= 0) continue;
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
              .stream = notes_[entry.notes].stream,
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
          .stack = stack_of(block),
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
  for (memory::BlockIndex i = 0; i < entries_.size(); ++i) {
    if (entries_[i] != memory::kNone) continue;
    const auto live = lives_.find(log_[i].address);
    if (live == lives_.end()) continue;
    live->second.block = i;
    live->second.stack = stack_of(i);
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

std::optional<AllocatorHistory::Live> AllocatorHistory::allocated(memory::BlockIndex block) const {
  if (block >= entries_.size() || entries_[block] >= trace_.size()) return std::nullopt;
  const TraceEntry& entry = trace_[entries_[block]];
  Live fresh = live_of(entry, block);
  // The exact size is known if the block lives to the end.
  const bool stays = log_[block].free_event == memory::kNone;
  const auto last = stays ? final_.find(entry.address) : final_.end();
  if (last != final_.end()) fresh.size = last->second.size;
  return fresh;
}

void AllocatorHistory::complete_free(std::size_t event) {
  const auto live = lives_.find(trace_[event].address);
  if (live == lives_.end()) return freed_.push_back(memory::kNone);
  std::optional<Live> usual = allocated(live->second.block);
  if (usual) usual->pending = true;
  if (usual == live->second) {
    freed_.push_back(live->second.block);
  } else {
    note_other(event, live->second);
  }
  lives_.erase(live);
}

void AllocatorHistory::apply(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  switch (entry.action) {
    case TraceAction::alloc: {
      const auto [live, fresh] = lives_.try_emplace(entry.address);
      if (!fresh) note_other(event, live->second);
      const auto made = allocated(static_cast<memory::BlockIndex>(next_block_++));
      live->second = made.value_or(live_of(entry, memory::kNone));
      break;
    }
    case TraceAction::free_requested: {
      const auto live = lives_.find(entry.address);
      if (live == lives_.end()) break;
      if (live->second.pending) note_other(event, live->second);
      live->second.pending = true;
      break;
    }
    case TraceAction::free_completed:
      complete_free(event);
      break;
    case TraceAction::segment_alloc:
    case TraceAction::segment_map:
      add_range(entry.address, range_of(entry), ranges_undo_.emplace_back());
      break;
    case TraceAction::segment_free:
    case TraceAction::segment_unmap:
      remove_range(entry.address, entry.size, ranges_undo_.emplace_back());
      break;
    default:
      break;
  }
}

void AllocatorHistory::take_back(std::size_t event) {
  const TraceEntry& entry = trace_[event];
  if (entry.action == TraceAction::alloc) --next_block_;
  if (has_other(event)) {
    lives_[entry.address] = others_.back().live;
    return others_.pop_back();
  }
  switch (entry.action) {
    case TraceAction::alloc:
      lives_.erase(entry.address);
      break;
    case TraceAction::free_requested:
      if (const auto live = lives_.find(entry.address); live != lives_.end())
        live->second.pending = false;
      break;
    case TraceAction::free_completed:
      if (auto live = allocated(freed_.back())) {
        live->pending = true;
        lives_[entry.address] = *live;
      }
      freed_.pop_back();
      break;
    case TraceAction::segment_alloc:
    case TraceAction::segment_map:
    case TraceAction::segment_free:
    case TraceAction::segment_unmap: {
      const RangesUndo& undo = ranges_undo_.back();
      for (const std::uint64_t address : undo.added) ranges_.erase(address);
      for (const auto& [address, range] : undo.removed) ranges_[address] = range;
      ranges_undo_.pop_back();
      break;
    }
    default:
      break;
  }
}

void AllocatorHistory::go_to_end() {
  while (true) {
    states_.push_back(
        {position_, next_block_, {ranges_.begin(), ranges_.end()}, {lives_.begin(), lives_.end()}});
    forget_undo();
    const std::size_t blocks = ranges_.size() + lives_.size();
    const std::size_t next = position_ + std::max(kLeastSpacing, kSpacingOfBlock * blocks);
    for (; position_ < std::min(next, trace_.size()); ++position_) apply(position_);
    if (position_ == trace_.size()) return;
  }
}

void AllocatorHistory::restore(const State& state) {
  position_ = state.position;
  next_block_ = state.next_block;
  ranges_ = Ranges(state.ranges.begin(), state.ranges.end());
  lives_ = Lives(state.lives.begin(), state.lives.end());
  forget_undo();
}

void AllocatorHistory::forget_undo() {
  undo_from_ = position_;
  freed_.clear();
  others_.clear();
  ranges_undo_.clear();
}

void AllocatorHistory::move_to(std::size_t position) {
  position = std::min(position, trace_.size());
  // The last one before the position, so that the event before it can be taken back.
  const auto after = std::ranges::lower_bound(states_, position, {}, &State::position);
  const State& near = after == states_.begin() ? states_.front() : *std::prev(after);
  if (near.position > position_ || position < undo_from_) restore(near);
  for (; position_ < position; ++position_) apply(position_);
  while (position_ > position) take_back(--position_);
}

std::optional<memory::BlockIndex> AllocatorHistory::block_at(std::uint64_t address) const {
  const auto live = lives_.find(address);
  if (live == lives_.end() || live->second.block == memory::kNone) return std::nullopt;
  return live->second.block;
}

std::optional<memory::BlockIndex> AllocatorHistory::block_of_event(std::size_t event) const {
  if (event >= trace_.size()) return std::nullopt;
  const TraceAction action = trace_[event].action;
  if (action == TraceAction::alloc) {
    // Blocks that lived before the trace stand before all others.
    const auto place = [](std::uint32_t entry) { return entry + 1; };
    const auto found = std::ranges::lower_bound(entries_, event + 1, {}, place);
    if (found == entries_.end() || *found != event) return std::nullopt;
    return static_cast<memory::BlockIndex>(found - entries_.begin());
  }
  if (action != TraceAction::free_requested && action != TraceAction::free_completed)
    return std::nullopt;
  // The event before it at this address that is still known.
  if (event == position_) return block_at(trace_[event].address);
  if (event + 1 != position_) return std::nullopt;
  if (action == TraceAction::free_requested) return block_at(trace_[event].address);
  const memory::BlockIndex freed = has_other(event) ? others_.back().live.block : freed_.back();
  if (freed == memory::kNone) return std::nullopt;
  return freed;
}

std::size_t AllocatorHistory::bytes() const {
  std::size_t sum = freed_.capacity() * sizeof(freed_.front()) +
                    others_.capacity() * sizeof(Other) +
                    ranges_undo_.capacity() * sizeof(RangesUndo);
  for (const RangesUndo& undo : ranges_undo_) {
    sum += undo.removed.capacity() * sizeof(undo.removed.front()) +
           undo.added.capacity() * sizeof(undo.added.front());
  }
  for (const State& state : states_) {
    sum += state.ranges.capacity() * sizeof(state.ranges.front()) +
           state.lives.capacity() * sizeof(state.lives.front());
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
      segment.device = device_;
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
std::int64_t request_behind(const allocator::Snapshot& snapshot, std::span<const TraceEntry> trace,
                            std::size_t event) {
  constexpr std::size_t kLook = 8;
  const TraceEntry& entry = trace[event];
  if (entry.action == TraceAction::oom) return limited(entry.size);
  if (entry.action != TraceAction::segment_alloc && entry.action != TraceAction::segment_map)
    return 0;
  for (std::size_t i = event + 1; i < std::min(trace.size(), event + kLook); ++i) {
    if (trace[i].action == TraceAction::alloc)
      return snapshot.stream_of(trace[i]) == snapshot.stream_of(entry) ? limited(trace[i].size) : 0;
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
    const std::int64_t bytes = request_behind(source.snapshot, trace, i);
    if (bytes <= 0) continue;
    const std::int64_t requested = settings.round_size(bytes);
    const bool small = requested <= kSmallSize;
    history.move_to(i);
    std::vector<SnapshotSegment> usable = history.segments();
    std::erase_if(usable, [&](const SnapshotSegment& segment) {
      return segment.stream != source.snapshot.stream_of(trace[i]) || segment.small_pool != small ||
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
