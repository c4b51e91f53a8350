#pragma once

// Private to the simulator: its blocks, pools and state, shared by its source files.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/allocator/free_list.h"
#include "core/memory/address_map.h"

namespace ts::allocator {

inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;
inline constexpr std::int64_t kMinBlockSize = 512;
inline constexpr std::int64_t kSmallSize = 1 * kMiB;       // largest request of the small pool
inline constexpr std::int64_t kSmallBuffer = 2 * kMiB;     // its segments
inline constexpr std::int64_t kMinLargeAlloc = 10 * kMiB;  // smaller requests share a large buffer
inline constexpr std::int64_t kLargeBuffer = 20 * kMiB;
inline constexpr std::int64_t kRoundLarge = 2 * kMiB;

struct BlockPool;

// A reservation of addresses whose pages are mapped as they are needed.
struct ExpandableSegment {
  std::uint64_t address = 0;
  std::int64_t size = 0;
  std::int64_t page = 0;
};

// A stretch of a segment; prev and next are its neighbours in it.
struct AllocatorBlock {
  std::uint64_t address = 0;
  std::int64_t size = 0;
  std::int64_t requested = 0;
  std::int64_t stream = 0;
  BlockPool* pool = nullptr;
  AllocatorBlock* prev = nullptr;
  AllocatorBlock* next = nullptr;
  ExpandableSegment* expandable = nullptr;
  std::uint64_t age_base = 0;  // the pool's search count when it became free
  bool allocated = false;
  bool mapped = true;
  [[nodiscard]] bool split() const { return prev != nullptr || next != nullptr; }
};

struct ByAddress {
  bool operator()(const AllocatorBlock* a, const AllocatorBlock* b) const {
    return std::tie(a->stream, a->address) < std::tie(b->stream, b->address);
  }
};

struct BlockPool {
  FreeList<AllocatorBlock> free;
  std::set<AllocatorBlock*, ByAddress> unmapped;
  bool small = false;
  std::uint64_t searches = 0;  // counted only while garbage collection is on
};

struct CachingAllocator::Impl {
  AllocatorSettings settings;
  Device device;
  AllocatorStats stats;
  BlockPool small_pool;
  BlockPool large_pool;
  memory::AddressMap<AllocatorBlock*> allocated;
  std::map<std::uint64_t, AllocatorBlock*> heads;  // first block of every segment, by address
  std::vector<std::unique_ptr<ExpandableSegment>> expandable_segments;
  std::vector<SegmentEvent> events;
  std::uint64_t next_address = std::uint64_t{1} << 40;
  std::optional<std::uint64_t> wanted_address;
  std::deque<AllocatorBlock> storage;         // owns all blocks
  std::vector<AllocatorBlock*> spare_blocks;  // unused blocks of it

  Impl(const AllocatorSettings& chosen, const Device& on);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void move_to(const Device& on);
  [[nodiscard]] bool limited() const { return device.memory_fraction.has_value(); }
  [[nodiscard]] std::int64_t allowed() const;

  // caching_allocator.cpp: handling of a request.
  AllocatorBlock* make_block(const AllocatorBlock& like = {});
  void drop_block(AllocatorBlock* block) { spare_blocks.push_back(block); }
  AllocatorBlock* find_free_block(BlockPool& pool, std::int64_t size, std::int64_t stream);
  AllocatorBlock* new_segment(BlockPool& pool, std::int64_t size, std::int64_t stream,
                              bool is_retry);
  AllocatorBlock* map_expandable(BlockPool& pool, std::int64_t size, std::int64_t stream);
  AllocatorBlock* find_expandable(BlockPool& pool, std::int64_t size, std::int64_t stream);
  bool map_block(AllocatorBlock* block, std::int64_t size);
  void split(AllocatorBlock* block, std::int64_t size);
  void insert_free(AllocatorBlock* block);
  void merge(AllocatorBlock* block, AllocatorBlock* neighbour);
  void release_to_pool(AllocatorBlock* block);

  // caching_allocator_release.cpp: giving memory back to the device.
  void collect_garbage();
  bool release_oversize(BlockPool& pool, std::int64_t size, std::int64_t stream);
  void release_cached();
  void release_pool(BlockPool& pool);
  void release_block(AllocatorBlock* block);
  void unmap(AllocatorBlock* block);

  void insert_between(AllocatorBlock* prev, AllocatorBlock* block, AllocatorBlock* next);
  void reserve(std::int64_t bytes);
  std::uint64_t take_addresses(std::int64_t size);

  // caching_allocator_seed.cpp: the start state of a replay.
  AllocatorBlock* seed_block(const SegmentView& segment, const SegmentView::BlockView& view,
                             AllocatorBlock* previous);
  [[nodiscard]] bool addresses_are_free(std::uint64_t address, std::int64_t size) const;
};

// Address space of an expandable segment on a device of `total_memory` bytes: all of it and an
// eighth more, against fragmentation of the addresses; room for at least `size` bytes.
std::int64_t reservation_size(std::int64_t total_memory, std::int64_t size, std::int64_t page);

}  // namespace ts::allocator
