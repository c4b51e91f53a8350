#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"
#include "core/base/result.h"

namespace ts::allocator {

// Feeds the allocations and frees of a snapshot's trace through CachingAllocator.
//
// The state before the first event is found by walking the trace backwards from the final segments;
// sizes in a trace are the requested ones. Runs of segment_free are empty_cache calls (or what the
// allocator did before it gave up, which comes to the same). Segments get the recorded addresses,
// since equally good blocks are taken by address. Memory of private pools (CUDA graphs, MemPool) is
// not simulated but counted as recorded, also against the capacity.
//
// A request that the recording was served and the simulation is refused ends the simulation: nobody
// knows what the program would have done next. What the recording was refused too, and survived,
// does not.
struct ReplayOptions {
  // Unset: those of the recording. Others answer "what if": then the blocks that are alive at the
  // start are allocated anew in the order of their addresses, as if the program had begun so.
  std::optional<AllocatorSettings> settings;
  // Bytes that the device can give to segments. Unset: as many as needed, or with other settings
  // what the device had when the recording ran out of memory, if it did. What lay in memory before
  // the recording counts: cached segments go back where they are too many, and if the others still
  // are, what lived in them is allocated anew as with other settings.
  std::optional<std::int64_t> capacity;
  // Begin as with other settings, though they are the same: to compare like with like.
  bool start_anew = false;
};

struct ReplayFigures {
  std::int64_t segment_allocs = 0;  // cudaMalloc calls, or mappings with expandable segments
  std::int64_t peak_reserved = 0;   // bytes
  std::int64_t end_reserved = 0;
  friend bool operator==(const ReplayFigures&, const ReplayFigures&) = default;
};

// Where the simulation first left the recording. `event` counts the entries of the trace from 0.
struct ReplayDifference {
  std::size_t event = 0;
  std::string what;
};

// A request that the recording was refused.
struct ReplayRefusal {
  std::size_t event = 0;
  std::int64_t bytes = 0;  // asked for
  std::int64_t free = 0;   // of the device, outside segments
};

// A request that the simulation refused, after everything that was only cached had gone back.
struct SimulatedRefusal {
  std::size_t event = 0;
  bool before_recording = false;  // what lived before the first event does not fit; event is 0
  std::int64_t bytes = 0;         // asked for
  FreeSpace free;
};

struct ReplayResult {
  std::size_t events = 0;
  bool as_recorded = true;  // same settings, no capacity: the two must agree
  AllocatorSettings settings;
  std::optional<std::int64_t> capacity;
  std::int64_t start_reserved = 0;
  ReplayFigures recorded;
  ReplayFigures simulated;
  std::optional<ReplayDifference> first_difference;
  std::int64_t other_addresses = 0;  // allocations that were put elsewhere than recorded
  std::vector<ReplayRefusal> recorded_ooms;
  std::vector<std::size_t> ooms_that_fit;         // events of the former that the simulation served
  std::optional<SimulatedRefusal> simulated_oom;  // the first
  std::int64_t simulated_ooms = 0;                // all of them
  bool stopped = false;                           // the simulation ended with the last one
  std::int64_t simulated_peak_allocated = 0;      // of whole blocks, outside private pools
  std::int64_t private_bytes = 0;                 // the most that private pools held
  std::int64_t odd_events = 0;  // frees of blocks that were not there and the like, passed over
};

// Replays the trace of one device; nothing of it may be missing at its end. The error says why it
// cannot be replayed: no trace, contradictory segments, an allocator that is not modelled.
base::Result<ReplayResult> replay(const Snapshot& snapshot, std::size_t device,
                                  const ReplayOptions& options = {});

}  // namespace ts::allocator
