// View of the simulator from outside: segments and invariants.
#include <algorithm>

#include "core/allocator/caching_allocator_state.h"

namespace ts::allocator {
namespace {

std::uint64_t end_of(const AllocatorBlock& block) {
  return block.address + static_cast<std::uint64_t>(block.size);
}

}  // namespace

const AllocatorStats& CachingAllocator::stats() const {
  return impl_->stats;
}

std::int64_t CachingAllocator::inactive_split_bytes() const {
  std::int64_t bytes = 0;
  for (const BlockPool* pool : {&impl_->small_pool, &impl_->large_pool}) {
    for (const AllocatorBlock* const block : pool->free.all()) {
      if (block->split()) bytes += block->size;
    }
  }
  return bytes;
}

FreeSpace CachingAllocator::free_space(std::optional<std::int64_t> outside) const {
  FreeSpace space;
  const auto add = [&space](std::int64_t bytes) {
    space.bytes += bytes;
    space.pieces += 1;
    space.largest = std::max(space.largest, bytes);
  };
  const std::int64_t left = impl_->device.capacity - impl_->stats.reserved;
  space.outside = std::max<std::int64_t>(outside.value_or(left), 0);
  if (space.outside > 0) add(space.outside);
  for (const BlockPool* pool : {&impl_->small_pool, &impl_->large_pool}) {
    for (const AllocatorBlock* const block : pool->free.all()) add(block->size);
  }
  return space;
}

std::vector<SegmentView> CachingAllocator::segments() const {
  std::vector<SegmentView> views;
  for (const auto& [address, head] : impl_->heads) {
    bool open = false;  // every mapped range of an expandable segment is a segment of its own
    for (const AllocatorBlock* block = head; block != nullptr; block = block->next) {
      if (!block->mapped) {
        open = false;
        continue;
      }
      if (!open) {
        views.push_back({.address = block->address,
                         .stream = block->stream,
                         .small_pool = block->pool->small,
                         .expandable = block->expandable != nullptr});
        open = true;
      }
      views.back().size += block->size;
      views.back().blocks.push_back(
          {block->address, block->size, block->requested, block->allocated});
    }
  }
  return views;
}

std::string CachingAllocator::check() const {
  const Impl& state = *impl_;
  std::int64_t reserved = 0;
  std::int64_t allocated = 0;
  std::size_t free_blocks = 0;
  std::size_t unmapped_blocks = 0;
  std::uint64_t last_end = 0;
  for (const auto& [address, head] : state.heads) {
    if (head->address != address || head->prev != nullptr) return "a segment's head is wrong";
    if (address < last_end) return "segments overlap";
    for (const AllocatorBlock* block = head; block != nullptr; block = block->next) {
      if (block->size <= 0 || block->size % kMinBlockSize != 0) return "a block has an odd size";
      if (block->next != nullptr) {
        if (block->next->prev != block) return "neighbours disagree";
        if (block->next->address != end_of(*block)) return "there is a gap between blocks";
        if (!block->allocated && !block->next->allocated && block->mapped == block->next->mapped) {
          return "two free neighbours were not merged";
        }
      }
      auto* entry = const_cast<AllocatorBlock*>(block);
      if (!block->mapped) {
        ++unmapped_blocks;
        if (!block->pool->unmapped.contains(entry)) return "an unmapped block is not listed";
      } else {
        reserved += block->size;
        if (block->allocated) {
          allocated += block->size;
          AllocatorBlock* const* const found = state.allocated.find(block->address);
          if (found == nullptr || *found != block) {
            return "an allocated block is not listed";
          }
          if (block->requested > block->size) return "a block is smaller than its request";
        } else {
          ++free_blocks;
          if (!block->pool->free.contains(block)) return "a free block is not listed";
        }
      }
      last_end = end_of(*block);
    }
  }
  if (free_blocks != state.small_pool.free.size() + state.large_pool.free.size()) {
    return "a free list holds a block that does not exist";
  }
  if (unmapped_blocks != state.small_pool.unmapped.size() + state.large_pool.unmapped.size()) {
    return "a list of unmapped blocks holds one that does not exist";
  }
  if (reserved != state.stats.reserved) return "reserved bytes do not add up";
  if (allocated != state.stats.allocated) return "allocated bytes do not add up";
  return {};
}

}  // namespace ts::allocator
