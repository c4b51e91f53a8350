#include "core/allocator/caching_allocator.h"

#include <algorithm>
#include <utility>

#include "core/allocator/caching_allocator_state.h"
#include "core/base/check.h"

namespace ts::allocator {
namespace {

std::int64_t round_up(std::int64_t size, std::int64_t to) {
  return (size + to - 1) / to * to;
}

std::int64_t segment_size(std::int64_t size) {
  if (size <= kSmallSize) return kSmallBuffer;
  if (size < kMinLargeAlloc) return kLargeBuffer;
  return round_up(size, kRoundLarge);
}

bool free_and_adjacent(const AllocatorBlock* block) {
  return block != nullptr && !block->allocated;
}

}  // namespace

std::int64_t reservation_size(std::int64_t total_memory, std::int64_t size, std::int64_t page) {
  const std::int64_t total = std::min<std::int64_t>(total_memory, std::int64_t{1} << 44);
  return round_up(std::max(total + total / 8, size), page);
}

CachingAllocator::Impl::Impl(const AllocatorSettings& chosen, const Device& on) : settings(chosen) {
  small_pool.small = true;
  move_to(on);
}

void CachingAllocator::Impl::move_to(const Device& on) {
  device = on;
  if (device.total_memory == 0) device.total_memory = device.capacity;
}

AllocatorBlock* CachingAllocator::Impl::make_block(const AllocatorBlock& like) {
  if (spare_blocks.empty()) return &storage.emplace_back(like);
  AllocatorBlock* const block = spare_blocks.back();
  spare_blocks.pop_back();
  *block = like;
  return block;
}

std::int64_t CachingAllocator::Impl::allowed() const {
  return static_cast<std::int64_t>(*device.memory_fraction *
                                   static_cast<double>(device.total_memory));
}

std::uint64_t CachingAllocator::Impl::take_addresses(std::int64_t size) {
  std::uint64_t address = next_address;
  if (wanted_address && addresses_are_free(*wanted_address, size)) address = *wanted_address;
  // A gap ensures that segments are never adjacent.
  const auto taken = static_cast<std::uint64_t>(round_up(size, kRoundLarge) + kRoundLarge);
  next_address = std::max(next_address, address + taken);
  return address;
}

void CachingAllocator::Impl::reserve(std::int64_t bytes) {
  stats.reserved += bytes;
  stats.peak_reserved = std::max(stats.peak_reserved, stats.reserved);
}

void CachingAllocator::Impl::insert_between(AllocatorBlock* prev, AllocatorBlock* block,
                                            AllocatorBlock* next) {
  block->prev = prev;
  block->next = next;
  if (prev != nullptr) {
    prev->next = block;
  } else {
    heads[block->address] = block;
  }
  if (next != nullptr) next->prev = block;
}

void CachingAllocator::Impl::insert_free(AllocatorBlock* block) {
  block->age_base = block->pool->searches;
  block->pool->free.insert(block);
}

AllocatorBlock* CachingAllocator::Impl::find_free_block(BlockPool& pool, std::int64_t size,
                                                        std::int64_t stream) {
  if (limited() && settings.garbage_collection_threshold > 0) ++pool.searches;
  AllocatorBlock* block = pool.free.best_fit(stream, size);
  if (block == nullptr) return nullptr;
  // A block before unmapped addresses can grow: best fit uses its size after growth.
  const auto reach = [](const AllocatorBlock* one) {
    return one->size + (one->next != nullptr && !one->next->mapped ? one->next->size : 0);
  };
  while (block->expandable != nullptr) {
    AllocatorBlock* const next = pool.free.after(block);
    if (next == nullptr || reach(next) >= reach(block)) break;
    block = next;
  }
  if (size < settings.max_split_size && block->size >= settings.max_split_size) return nullptr;
  if (size >= settings.max_split_size && block->size - size >= settings.max_non_split_rounding) {
    return nullptr;
  }
  pool.free.erase(block);
  return block;
}

AllocatorBlock* CachingAllocator::Impl::new_segment(BlockPool& pool, std::int64_t size,
                                                    std::int64_t stream, bool is_retry) {
  if (is_retry) ++stats.retries;
  const std::int64_t bytes = segment_size(size);
  if (limited() && stats.reserved + bytes > allowed()) return nullptr;
  if (settings.expandable_segments) return map_expandable(pool, size, stream);
  if (bytes > device.capacity - stats.reserved) return nullptr;
  AllocatorBlock* const block = make_block();
  block->address = take_addresses(bytes);
  block->size = bytes;
  block->stream = stream;
  block->pool = &pool;
  heads[block->address] = block;
  ++stats.segment_allocs;
  reserve(bytes);
  events.push_back({SegmentAction::segment_alloc, block->address, bytes});
  return block;
}

AllocatorBlock* CachingAllocator::Impl::find_expandable(BlockPool& pool, std::int64_t size,
                                                        std::int64_t stream) {
  const auto usable = [stream](const AllocatorBlock* block) {
    return free_and_adjacent(block) && block->stream == stream;
  };
  AllocatorBlock key;
  key.stream = stream;
  for (auto it = pool.unmapped.lower_bound(&key);
       it != pool.unmapped.end() && (*it)->stream == stream; ++it) {
    AllocatorBlock* first = *it;
    // A free block right before the unmapped addresses is used first.
    if (usable(first->prev)) first = first->prev;
    std::int64_t room = 0;
    for (AllocatorBlock* block = first; room < size && usable(block); block = block->next) {
      room += block->size;
    }
    if (room >= size) return first;
  }
  const std::int64_t page = pool.small ? kSmallBuffer : kLargeBuffer;
  auto segment = std::make_unique<ExpandableSegment>();
  segment->page = page;
  segment->size = reservation_size(device.total_memory, size, page);
  segment->address = take_addresses(segment->size);
  AllocatorBlock* const block = make_block();
  block->address = segment->address;
  block->size = segment->size;
  block->stream = stream;
  block->pool = &pool;
  block->mapped = false;
  block->expandable = segment.get();
  heads[block->address] = block;
  pool.unmapped.insert(block);
  expandable_segments.push_back(std::move(segment));
  return block;
}

bool CachingAllocator::Impl::map_block(AllocatorBlock* block, std::int64_t size) {
  TS_CHECK(!block->mapped && block->expandable != nullptr && size <= block->size);
  const std::int64_t mapped = std::min(round_up(size, block->expandable->page), block->size);
  if (mapped > device.capacity - stats.reserved) return false;
  block->pool->unmapped.erase(block);
  if (mapped < block->size) {
    AllocatorBlock* const rest = make_block(*block);
    rest->address += static_cast<std::uint64_t>(mapped);
    rest->size -= mapped;
    insert_between(block, rest, block->next);
    block->pool->unmapped.insert(rest);
    block->size = mapped;
  }
  block->mapped = true;
  ++stats.segment_allocs;
  reserve(mapped);
  events.push_back({SegmentAction::segment_map, block->address, mapped});
  merge(block, block->prev);
  merge(block, block->next);
  insert_free(block);
  return true;
}

AllocatorBlock* CachingAllocator::Impl::map_expandable(BlockPool& pool, std::int64_t size,
                                                       std::int64_t stream) {
  AllocatorBlock* block = find_expandable(pool, size, stream);
  if (!block->mapped && !map_block(block, std::min(block->size, size))) return nullptr;
  while (block->size < size) {
    AllocatorBlock* next = block->next;
    const std::int64_t missing = std::min(size - block->size, next->size);
    if (!map_block(next, missing)) return nullptr;
    block = next;
  }
  pool.free.erase(block);
  return block;
}

// `block` absorbs a free neighbour of the same kind, which is removed.
void CachingAllocator::Impl::merge(AllocatorBlock* block, AllocatorBlock* neighbour) {
  if (neighbour == nullptr || neighbour->allocated || neighbour->mapped != block->mapped) return;
  if (neighbour->mapped) {
    neighbour->pool->free.erase(neighbour);
  } else {
    neighbour->pool->unmapped.erase(neighbour);
  }
  if (block->prev == neighbour) {
    block->address = neighbour->address;
    block->prev = neighbour->prev;
    if (block->prev != nullptr) {
      block->prev->next = block;
    } else {
      heads[block->address] = block;
    }
  } else {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->prev = block;
  }
  block->size += neighbour->size;
  drop_block(neighbour);
}

void CachingAllocator::Impl::split(AllocatorBlock* block, std::int64_t size) {
  const std::int64_t rest_size = block->size - size;
  const bool worth = block->pool->small || settings.expandable_segments
                         ? rest_size >= kMinBlockSize
                         : size < settings.max_split_size && rest_size > kSmallSize;
  if (!worth) return;
  AllocatorBlock* const rest = make_block(*block);
  rest->address += static_cast<std::uint64_t>(size);
  rest->size = rest_size;
  insert_between(block, rest, block->next);
  block->size = size;
  insert_free(rest);
}

void CachingAllocator::Impl::release_to_pool(AllocatorBlock* block) {
  block->allocated = false;
  block->requested = 0;
  merge(block, block->prev);
  merge(block, block->next);
  insert_free(block);
}

CachingAllocator::CachingAllocator(const AllocatorSettings& settings, const Device& device)
    : impl_(std::make_unique<Impl>(settings, device)) {}
CachingAllocator::~CachingAllocator() = default;
CachingAllocator::CachingAllocator(CachingAllocator&&) noexcept = default;
CachingAllocator& CachingAllocator::operator=(CachingAllocator&&) noexcept = default;

std::optional<std::uint64_t> CachingAllocator::allocate(std::int64_t bytes, std::int64_t stream) {
  TS_CHECK(bytes > 0);
  Impl& state = *impl_;
  const std::int64_t size = state.settings.round_size(bytes);
  BlockPool& pool = size <= kSmallSize ? state.small_pool : state.large_pool;
  AllocatorBlock* block = state.find_free_block(pool, size, stream);
  if (block == nullptr) {
    if (state.limited() && state.settings.garbage_collection_threshold > 0) state.collect_garbage();
    block = state.new_segment(pool, size, stream, false);
    if (block == nullptr && state.device.keep_cached) return std::nullopt;
    if (block == nullptr && state.release_oversize(pool, size, stream)) {
      block = state.new_segment(pool, size, stream, false);
    }
    if (block == nullptr) {
      state.release_cached();
      block = state.new_segment(pool, size, stream, true);
    }
    if (block == nullptr) {
      ++state.stats.ooms;
      return std::nullopt;
    }
  }
  state.split(block, size);
  block->allocated = true;
  block->requested = bytes;
  state.allocated[block->address] = block;
  state.stats.allocated += block->size;
  state.stats.requested += bytes;
  state.stats.peak_allocated = std::max(state.stats.peak_allocated, state.stats.allocated);
  return block->address;
}

bool CachingAllocator::free(std::uint64_t address) {
  Impl& state = *impl_;
  const std::optional<AllocatorBlock*> found = state.allocated.take(address);
  if (!found) return false;
  AllocatorBlock* const block = *found;
  state.stats.allocated -= block->size;
  state.stats.requested -= block->requested;
  state.release_to_pool(block);
  return true;
}

CachingAllocator CachingAllocator::fork(const Device& device) const {
  const Impl& from = *impl_;
  TS_CHECK(from.expandable_segments.empty());
  CachingAllocator copy(from.settings, device);
  Impl& to = *copy.impl_;
  to.stats = from.stats;
  to.next_address = from.next_address;
  to.wanted_address = from.wanted_address;
  to.small_pool.searches = from.small_pool.searches;
  to.large_pool.searches = from.large_pool.searches;
  for (const auto& [address, head] : from.heads) {
    AllocatorBlock* previous = nullptr;
    for (const AllocatorBlock* block = head; block != nullptr; block = block->next) {
      AllocatorBlock* const made = to.make_block(*block);
      made->pool = block->pool->small ? &to.small_pool : &to.large_pool;
      to.insert_between(previous, made, nullptr);
      if (made->allocated) {
        to.allocated[made->address] = made;
      } else {
        made->pool->free.insert(made);
      }
      previous = made;
    }
  }
  return copy;
}

void CachingAllocator::move_to(const Device& device) {
  TS_CHECK(impl_->expandable_segments.empty());
  impl_->move_to(device);
}

void CachingAllocator::set_capacity(std::int64_t bytes) {
  impl_->device.capacity = bytes;
}

void CachingAllocator::empty_cache() {
  impl_->release_cached();
}

std::vector<SegmentEvent> CachingAllocator::take_events() {
  return std::exchange(impl_->events, {});
}

}  // namespace ts::allocator
