#pragma once

#include <cstdint>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"
#include "core/base/result.h"

namespace ts::allocator {

// The state before the first event of a trace. Private to the replay.
struct ReplayStart {
  // The addresses of one expandable segment and their mapped ranges.
  struct Reservation {
    std::uint64_t address = 0;
    std::int64_t size = 0;
    std::vector<SegmentView> ranges;
  };
  std::vector<SegmentView> segments;  // of cudaMalloc
  std::vector<Reservation> reservations;
  std::int64_t reserved = 0;          // of both
  std::int64_t reservation_size = 0;  // of expandable segments created later; 0: none is known
  std::int64_t private_reserved = 0;
  // Events that contradict the rest, by number, and so many segments and blocks that no event
  // tells.
  std::vector<bool> odd_events;
  std::int64_t odd_places = 0;
  // Memory of a device whose expandable segments reserve so many addresses.
  [[nodiscard]] std::int64_t total_memory() const;
};

// The rules of private pools are not simulated.
base::Result<ReplayStart> find_replay_start(const Snapshot& snapshot, std::size_t device,
                                            const AllocatorSettings& recorded,
                                            const PrivatePools& private_pools);

}  // namespace ts::allocator
