// The state from which a replay begins.
#include <algorithm>
#include <utility>

#include "core/allocator/caching_allocator_state.h"
#include "core/base/check.h"

namespace ts::allocator {

AllocatorBlock* CachingAllocator::Impl::seed_block(const SegmentView& segment,
                                                   const SegmentView::BlockView& view,
                                                   AllocatorBlock* previous) {
  TS_CHECK(view.size > 0);
  AllocatorBlock* const block = make_block();
  block->address = view.address;
  block->size = view.size;
  block->stream = segment.stream;
  block->pool = segment.small_pool ? &small_pool : &large_pool;
  insert_between(previous, block, nullptr);
  if (view.allocated) {
    block->allocated = true;
    block->requested = view.requested;
    allocated[block->address] = block;
    stats.allocated += block->size;
    stats.requested += block->requested;
    stats.peak_allocated = std::max(stats.peak_allocated, stats.allocated);
  }
  return block;
}

bool CachingAllocator::Impl::addresses_are_free(std::uint64_t address, std::int64_t size) const {
  const std::uint64_t end = address + static_cast<std::uint64_t>(size);
  if (end < address) return false;
  const auto after = heads.lower_bound(end);
  if (after == heads.begin()) return true;
  const AllocatorBlock* last = std::prev(after)->second;
  while (last->next != nullptr) last = last->next;
  return last->address + static_cast<std::uint64_t>(last->size) <= address;
}

void CachingAllocator::seed_segment(const SegmentView& segment) {
  TS_CHECK(!segment.expandable && !segment.blocks.empty());
  Impl& state = *impl_;
  AllocatorBlock* previous = nullptr;
  for (const auto& view : segment.blocks) {
    previous = state.seed_block(segment, view, previous);
    if (!view.allocated) state.insert_free(previous);
  }
  state.reserve(segment.size);
  const std::uint64_t end =
      segment.address + static_cast<std::uint64_t>(segment.size + kRoundLarge);
  state.next_address = std::max(state.next_address, end);
}

void CachingAllocator::seed_expandable(std::uint64_t address, std::int64_t size,
                                       const std::vector<SegmentView>& ranges) {
  TS_CHECK(!ranges.empty());
  Impl& state = *impl_;
  const bool small_pool = ranges.front().small_pool;
  auto segment = std::make_unique<ExpandableSegment>();
  segment->address = address;
  segment->size = size;
  segment->page = small_pool ? kSmallBuffer : kLargeBuffer;
  AllocatorBlock* previous = nullptr;
  const auto add = [&](const SegmentView& range, const SegmentView::BlockView& view, bool mapped) {
    previous = state.seed_block(range, view, previous);
    previous->expandable = segment.get();
    previous->mapped = mapped;
    if (!mapped) {
      previous->pool->unmapped.insert(previous);
    } else if (!view.allocated) {
      state.insert_free(previous);
    }
  };
  std::uint64_t at = address;
  const auto add_unmapped = [&](const SegmentView& range, std::uint64_t end) {
    if (end > at) add(range, {at, static_cast<std::int64_t>(end - at), 0, false}, false);
  };
  for (const SegmentView& range : ranges) {
    TS_CHECK(range.address >= at && !range.blocks.empty());
    add_unmapped(range, range.address);
    for (const auto& view : range.blocks) add(range, view, true);
    state.reserve(range.size);
    at = range.address + static_cast<std::uint64_t>(range.size);
  }
  const std::uint64_t end = address + static_cast<std::uint64_t>(size);
  TS_CHECK(at <= end);
  add_unmapped(ranges.back(), end);
  state.expandable_segments.push_back(std::move(segment));
  state.next_address = std::max(state.next_address, end + static_cast<std::uint64_t>(kRoundLarge));
}

void CachingAllocator::set_next_address(std::optional<std::uint64_t> address) {
  impl_->wanted_address = address;
}

}  // namespace ts::allocator
