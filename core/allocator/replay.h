#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"
#include "core/base/result.h"

namespace ts::allocator {

// Runs the allocations and frees of a snapshot's trace through CachingAllocator.
//
// The state before the first event is found by walking the trace backwards from the final segments;
// sizes in a trace are the requested ones. Runs of segment_free are empty_cache calls (or the
// allocator's releases before it gave up, which are equivalent). Segments get the recorded
// addresses, since equally good blocks are chosen by address. Memory of private pools (CUDA graphs,
// MemPool) is not simulated but counted as recorded, also against the capacity.
//
// If the simulation refuses a request that the recording served, the simulation ends: the program's
// next actions are not known. A request that the recording refused too, and survived, does not end
// it.
struct ReplayOptions {
  // Unset: those of the recording. Other settings answer "what if": then the blocks that are live
  // at the start are allocated anew in the order of their addresses, as if the program had begun
  // so.
  std::optional<AllocatorSettings> settings;
  // Bytes that the device can give to segments. Unset: as many as needed, or with other settings
  // the memory that the device had when the recording ran out, if it did. Memory from before the
  // recording counts: if it does not fit, cached segments are released; if the rest still does not
  // fit, its blocks are allocated anew as with other settings.
  std::optional<std::int64_t> capacity;
  // Begin as with other settings even if they are the same, so that two results are comparable.
  bool start_anew = false;
  // Stop after so many events and tell what the segments are then. Within a request or an
  // empty_cache() the replay goes on to its end.
  std::optional<std::size_t> until;
};

// The state after `position` events.
struct ReplayMoment {
  std::size_t position = 0;
  std::vector<SegmentView> segments;  // without those of private pools
  std::vector<SegmentView> emptied;   // the same after an empty_cache()
  std::int64_t private_reserved = 0;
  std::int64_t private_requested = 0;  // of the blocks in them
};

struct ReplayFigures {
  std::int64_t segment_allocs = 0;  // cudaMalloc calls, or mappings with expandable segments
  std::int64_t peak_reserved = 0;   // bytes
  std::int64_t end_reserved = 0;
  friend bool operator==(const ReplayFigures&, const ReplayFigures&) = default;
};

// The first difference between simulation and recording. `event` counts the trace entries from 0.
struct ReplayDifference {
  std::size_t event = 0;
  base::Message what;
};

// A request that was refused in the recording.
struct ReplayRefusal {
  std::size_t event = 0;
  std::int64_t bytes = 0;  // requested
  std::int64_t free = 0;   // of the device, outside segments
};

// A request that the simulation refused, after all cached memory was released, or that it took over
// from the recording as refused.
struct SimulatedRefusal {
  std::size_t event = 0;
  bool before_recording = false;  // what lived before the first event does not fit; event is 0
  bool as_recorded = false;  // refused because the recording did; `free` is also the recording's
  std::int64_t bytes = 0;    // requested
  FreeSpace free = {};
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
  std::int64_t other_addresses = 0;  // allocations at another address than recorded
  std::vector<ReplayRefusal> recorded_ooms;
  std::vector<std::size_t> ooms_that_fit;         // of these, those that the simulation served
  std::optional<SimulatedRefusal> simulated_oom;  // the first
  std::int64_t simulated_ooms = 0;                // all of them
  bool stopped = false;                           // the simulation ended with the last one
  // Requested bytes of what the simulation served, private pools among it: what allocated_bytes()
  // tells of the recording (snapshot_figures.h).
  std::int64_t simulated_peak_requested = 0;
  std::int64_t private_bytes = 0;      // the most that private pools held
  std::size_t peak_position = 0;       // events after which the simulation reserves most, the first
  std::optional<ReplayMoment> moment;  // with `until`
  std::int64_t odd_events = 0;  // skipped, such as frees of blocks that do not exist; each once
};

// Replays the trace of one device; the end of the trace must be complete. The error says why it
// cannot be replayed: no trace, contradictory segments, an allocator that is not modelled.
base::Result<ReplayResult> replay(const Snapshot& snapshot, std::size_t device,
                                  const ReplayOptions& options = {});

// Whether anything is asked for after something was freed.
bool reuses_memory(const Trace& trace);

}  // namespace ts::allocator
