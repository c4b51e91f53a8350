#pragma once

#include <cstdint>

#include "core/trace/trace_store.h"

namespace ts::trace {

// Calls visit(SliceRef, const Slice&) for each slice of a track: depth by depth, in time order.
template <class Visit>
void for_each_slice(const TraceStore& trace, TrackId track, const Visit& visit) {
  for (std::uint16_t depth = 0; depth < trace.depth_count(track); ++depth) {
    const std::uint32_t size = trace.lane_size(track, depth);
    for (std::uint32_t i = 0; i < size; ++i) {
      const SliceRef ref{track, depth, i};
      visit(ref, trace.slice(ref));
    }
  }
}

// The same for all tracks of a kind.
template <class Visit>
void for_each_slice(const TraceStore& trace, TrackKind kind, const Visit& visit) {
  for (TrackId track = 0; track < trace.tracks().size(); ++track) {
    if (trace.tracks()[track].kind == kind) for_each_slice(trace, track, visit);
  }
}

}  // namespace ts::trace
