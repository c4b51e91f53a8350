#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/allocator/allocator_settings.h"

namespace ts::allocator {

// Calls of the simulator to the device, with PyTorch's names.
enum class SegmentAction : std::uint8_t { segment_alloc, segment_free, segment_map, segment_unmap };
struct SegmentEvent {
  SegmentAction action = SegmentAction::segment_alloc;
  std::uint64_t address = 0;
  std::int64_t size = 0;
};

// The figures of getDeviceStats, in bytes unless a count.
struct AllocatorStats {
  std::int64_t allocated = 0;  // rounded sizes of blocks in use
  std::int64_t requested = 0;  // sizes asked for
  std::int64_t reserved = 0;   // segments and mapped pages
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t segment_allocs = 0;  // cudaMalloc calls, or mappings with expandable segments
  std::int64_t segment_frees = 0;
  std::int64_t retries = 0;  // cached blocks were released to make room
  std::int64_t ooms = 0;
};

// Memory that could still be allocated: the rest of the device and the free blocks of all pools and
// streams, each of them one piece.
struct FreeSpace {
  std::int64_t bytes = 0;
  std::int64_t outside = 0;  // of the device, outside segments
  std::int64_t pieces = 0;
  std::int64_t largest = 0;
};

struct SegmentView {
  std::uint64_t address = 0;
  std::int64_t size = 0;  // mapped bytes
  std::int64_t stream = 0;
  bool small_pool = false;
  bool expandable = false;
  struct BlockView {
    std::uint64_t address = 0;
    std::int64_t size = 0;
    std::int64_t requested = 0;  // 0 when free
    bool allocated = false;
  };
  std::vector<BlockView> blocks = {};  // by address, without gaps
};

// A model of PyTorch 2.11's CUDACachingAllocator for one device and the default pools. It keeps
// addresses and sizes only: rounding, small and large pools, best fit per stream, split and merge,
// release of cached blocks and one retry before out of memory, garbage collection, expandable
// segments. Rules and constants: c10/cuda/CUDACachingAllocator.cpp and c10/core/AllocatorConfig.h
// of that version. Not thread safe.
class CachingAllocator {
 public:
  // `capacity`: bytes the device can give to segments (its memory minus context and other
  // processes). `memory_fraction` < 1 limits reserved bytes to that part of `total_memory`, as
  // setMemoryFraction does; it also enables garbage collection.
  struct Device {
    std::int64_t capacity = AllocatorSettings::kUnlimited;
    std::int64_t total_memory = 0;  // 0: same as capacity
    std::optional<double> memory_fraction;
    // Refuse a request that the device has no room for before any cached memory is released.
    bool keep_cached = false;
  };
  CachingAllocator(const AllocatorSettings& settings, const Device& device);
  ~CachingAllocator();
  CachingAllocator(CachingAllocator&&) noexcept;
  CachingAllocator& operator=(CachingAllocator&&) noexcept;

  // Address of a block; unset when out of memory (the state is then that after the retry). bytes >
  // 0.
  std::optional<std::uint64_t> allocate(std::int64_t bytes, std::int64_t stream = 0);
  // Returns false for an address that is not allocated.
  bool free(std::uint64_t address);
  void empty_cache();
  // An independent copy of the state on another device. Not with expandable segments, whose
  // addresses depend on the device.
  [[nodiscard]] CachingAllocator fork(const Device& device) const;
  // Moves this allocator to another device. Not with expandable segments, as above.
  void move_to(const Device& device);
  // Sets how many bytes the device can give to segments from now on. Releases nothing.
  void set_capacity(std::int64_t bytes);

  // For replays of a recording. Call these before the first allocation.
  // Places a segment with the given blocks as the state before the first event. Blocks follow each
  // other without gaps, free ones are merged.
  void seed_segment(const SegmentView& segment);
  // Places the addresses of an expandable segment, with `ranges` of it mapped. The ranges have one
  // stream and one pool, are separate from each other inside [address, address + size), and begin
  // and end at whole pages counted from `address`.
  void seed_expandable(std::uint64_t address, std::int64_t size,
                       const std::vector<SegmentView>& ranges);
  // The address of the next new segment, if it is unused; unset cancels this. Equally good blocks
  // are chosen by address, so a replay needs the recorded ones.
  void set_next_address(std::optional<std::uint64_t> address);

  [[nodiscard]] const AllocatorStats& stats() const;
  // Bytes of free parts of segments that are partly in use: fragmentation. O(free blocks).
  [[nodiscard]] std::int64_t inactive_split_bytes() const;
  // `outside`: of the device, outside segments; unset: what the capacity leaves. O(free blocks).
  [[nodiscard]] FreeSpace free_space(std::optional<std::int64_t> outside = std::nullopt) const;
  [[nodiscard]] std::vector<SegmentView> segments() const;  // by address
  // Device calls since the last call of this function, in order.
  std::vector<SegmentEvent> take_events();

  // Describes broken invariants, empty when all hold: no overlap, no gap, no lost byte, neighbours
  // merged, free lists complete, sums right. For tests; O(blocks).
  [[nodiscard]] std::string check() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::allocator
