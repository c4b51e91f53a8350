#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/string_table.h"
#include "core/trace/slice.h"

namespace ts::trace {

enum class TrackKind : std::uint8_t {
  phases,
  cpu_thread,
  autograd_thread,
  cuda_api,
  gpu_stream,
  gpu_idle,  // of a device: times without a kernel; a slice's name is the cause
  gpu_mark,  // of a stream or device: ranges of annotations; nothing that ran
  // Only in opened traces, like gpu_mark:
  python,    // calls of Python of a thread
  wait,      // for a device: of a stream or device, or of the thread that waited
  overhead,  // of the profiler on a thread
  other,     // events of a thread that are none of these
};

// A row group of the timeline. Slices of one track nest by depth; at one depth they do not overlap.
struct Track {
  TrackKind kind = TrackKind::cpu_thread;
  std::string name = {};     // thread or stream name as recorded, not translated
  std::int16_t device = -1;  // the GPU; -1: none
  std::int32_t rank = -1;    // of a trace of several ranks; -1: of none
};

// Append-only columns of slices: per track and depth one lane ordered by begin, each with a
// level-of-detail tree. One owner thread; nothing here locks. Memory: at most 50 bytes a slice in
// total.
class TraceStore {
 public:
  TraceStore();
  ~TraceStore();
  TraceStore(TraceStore&&) noexcept;
  TraceStore& operator=(TraceStore&&) noexcept;

  TrackId add_track(Track track);
  [[nodiscard]] std::span<const Track> tracks() const;
  [[nodiscard]] std::uint16_t depth_count(TrackId track) const;

  // A slice that starts before its predecessor on the same lane, or has a negative duration, is
  // refused and counted in disordered(); everything else is kept. A slice that overlaps its
  // predecessor is kept too, but for drawing and look-up the predecessor ends where this one
  // begins.
  bool append(TrackId track, std::uint16_t depth, const Slice& slice);
  [[nodiscard]] std::uint64_t disordered() const;

  [[nodiscard]] Slice slice(SliceRef ref) const;
  [[nodiscard]] std::uint32_t lane_size(TrackId track, std::uint16_t depth) const;

  // Replaces `out` by the boxes to draw for `range` on `pixels` columns, in time order, at most 2 *
  // pixels + 2 of them. Slices of at least one pixel get their own box; shorter neighbours that
  // begin in the same column are merged. Columns are whole pixels since time 0, so boxes do not
  // flicker while panning. Every slice in range is in exactly one box; a slice of duration 0 is in
  // range when its begin is. O(pixels * log n).
  void query(TrackId track, std::uint16_t depth, base::TimeRange range, std::int32_t pixels,
             std::vector<VisibleSlice>& out) const;

  // The slice that covers a time at that depth, or begins at that time with duration 0.
  [[nodiscard]] std::optional<SliceRef> slice_at(TrackId track, std::uint16_t depth,
                                                 std::int64_t time_ns) const;
  // The innermost slice that encloses it at a lower depth.
  [[nodiscard]] std::optional<SliceRef> parent(SliceRef ref) const;
  // The other end of a forward-backward link. Nested slices of one track that share a flow count as
  // one end; the deepest of them is returned.
  [[nodiscard]] std::optional<SliceRef> flow_partner(SliceRef ref) const;

  // The first `most` slices whose name or module contains `text` (ASCII case ignored), in time
  // order. An empty text finds nothing.
  [[nodiscard]] std::vector<SliceRef> search(const base::StringTable& strings,
                                             std::string_view text, std::size_t most) const;

  [[nodiscard]] base::TimeRange range() const;  // of all slices; empty when there are none
  [[nodiscard]] std::uint64_t slice_count() const;
  [[nodiscard]] std::size_t bytes() const;  // resident memory of the store

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::trace
