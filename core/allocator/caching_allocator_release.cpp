#include <algorithm>

#include "core/allocator/caching_allocator_state.h"
#include "core/base/check.h"

namespace ts::allocator {

void CachingAllocator::Impl::collect_garbage() {
  const auto threshold = static_cast<std::int64_t>(settings.garbage_collection_threshold *
                                                   static_cast<double>(allowed()));
  if (stats.reserved <= threshold) return;
  const std::int64_t target = stats.reserved - threshold;
  BlockPool& pool = large_pool;
  const auto age = [&pool](const AllocatorBlock* block) { return pool.searches - block->age_base; };
  std::uint64_t total_age = 0;
  std::int64_t candidates = 0;
  for (AllocatorBlock* const block : pool.free.all()) {
    if (block->split() || block->expandable != nullptr) continue;
    total_age += age(block);
    ++candidates;
  }
  std::int64_t reclaimed = 0;
  bool progress = true;
  while (reclaimed < target && progress && candidates > 0) {
    const double oldest_half = static_cast<double>(total_age) / static_cast<double>(candidates);
    progress = false;
    for (AllocatorBlock* const block : pool.free.all()) {
      if (block->split() || block->expandable != nullptr ||
          static_cast<double>(age(block)) < oldest_half) {
        continue;
      }
      progress = true;
      reclaimed += block->size;
      total_age -= age(block);
      --candidates;
      release_block(block);
    }
  }
}

bool CachingAllocator::Impl::release_oversize(BlockPool& pool, std::int64_t size,
                                              std::int64_t stream) {
  if (settings.max_split_size == AllocatorSettings::kUnlimited) return false;
  const std::int64_t wanted = std::max(size, settings.max_split_size);
  if (AllocatorBlock* const enough = pool.free.best_fit(stream, wanted); enough != nullptr) {
    if (enough->expandable != nullptr) return false;
    release_block(enough);
    return true;
  }
  // No single block is large enough: release several oversize ones, the largest first.
  std::int64_t released = 0;
  while (released < wanted) {
    AllocatorBlock* const block = pool.free.largest_below(stream, wanted);
    if (block == nullptr || block->size < settings.max_split_size || block->expandable != nullptr) {
      break;
    }
    released += block->size;
    release_block(block);
  }
  return released >= wanted;
}

void CachingAllocator::Impl::release_cached() {
  release_pool(large_pool);
  release_pool(small_pool);
}

void CachingAllocator::Impl::release_pool(BlockPool& pool) {
  std::vector<AllocatorBlock*> to_unmap;  // after all others are gone
  for (AllocatorBlock* const block : pool.free.all()) {
    if (block->expandable != nullptr) {
      to_unmap.push_back(block);
    } else if (!block->split()) {
      release_block(block);
    }
  }
  for (AllocatorBlock* block : to_unmap) unmap(block);
}

void CachingAllocator::Impl::release_block(AllocatorBlock* block) {
  TS_CHECK(!block->split() && !block->allocated && block->expandable == nullptr);
  block->pool->free.erase(block);
  heads.erase(block->address);
  stats.reserved -= block->size;
  ++stats.segment_frees;
  events.push_back({SegmentAction::segment_free, block->address, block->size});
  drop_block(block);
}

// Unmaps the whole pages inside a free block; the rest on either side stays free.
void CachingAllocator::Impl::unmap(AllocatorBlock* block) {
  const auto page = static_cast<std::uint64_t>(block->expandable->page);
  const std::uint64_t base = block->expandable->address;
  const std::uint64_t end = block->address + static_cast<std::uint64_t>(block->size);
  const std::uint64_t first_page = base + (block->address - base + page - 1) / page * page;
  const std::uint64_t end_page = base + (end - base) / page * page;
  if (first_page >= end_page) return;
  block->pool->free.erase(block);
  if (first_page > block->address) {
    AllocatorBlock* const before = make_block(*block);
    before->size = static_cast<std::int64_t>(first_page - block->address);
    insert_between(block->prev, before, block);
    insert_free(before);
  }
  if (end > end_page) {
    AllocatorBlock* const after = make_block(*block);
    after->address = end_page;
    after->size = static_cast<std::int64_t>(end - end_page);
    insert_between(block, after, block->next);
    insert_free(after);
  }
  block->address = first_page;
  block->size = static_cast<std::int64_t>(end_page - first_page);
  block->mapped = false;
  if (block->prev == nullptr) heads[block->address] = block;
  stats.reserved -= block->size;
  ++stats.segment_frees;
  events.push_back({SegmentAction::segment_unmap, block->address, block->size});
  merge(block, block->prev);
  merge(block, block->next);
  block->pool->unmapped.insert(block);
  if (block->split()) return;
  // No part of the segment is in use: its addresses are released too.
  block->pool->unmapped.erase(block);
  heads.erase(block->address);
  std::erase_if(expandable_segments,
                [block](const auto& segment) { return segment.get() == block->expandable; });
  drop_block(block);
}

}  // namespace ts::allocator
