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
  gpu_idle,  // of a device: when no kernel ran on it, each slice named by its cause
};

// A row group of the timeline. Slices of one track nest by depth; at one depth they do not overlap.
struct Track {
  TrackKind kind = TrackKind::cpu_thread;
  std::string name = {};     // thread or stream name as recorded, not translated
  std::int16_t device = -1;  // the GPU; -1: none
};

// Append-only columns of slices, per track and depth a lane ordered by begin, with a
// level-of-detail tree each. One owner thread; nothing here locks. Memory: at most 50 bytes a slice
// all told.
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
  // predecessor is kept too, but drawn and looked up as if that one ended where it begins.
  bool append(TrackId track, std::uint16_t depth, const Slice& slice);
  [[nodiscard]] std::uint64_t disordered() const;

  [[nodiscard]] Slice slice(SliceRef ref) const;
  [[nodiscard]] std::uint32_t lane_size(TrackId track, std::uint16_t depth) const;

  // Replaces `out` by the boxes to draw for `range` on `pixels` columns, in time order, at most
  // 2 * pixels + 2 of them. Slices of at least one pixel come singly; shorter neighbours that begin
  // in the same column are merged. Columns are whole pixels since time 0, so that panning does not
  // make boxes flicker. Every slice in range is in exactly one box; a slice of no duration is in
  // range when its begin is. O(pixels * log n).
  void query(TrackId track, std::uint16_t depth, base::TimeRange range, std::int32_t pixels,
             std::vector<VisibleSlice>& out) const;

  // The slice that covers a time at that depth, or begins at it with no duration.
  [[nodiscard]] std::optional<SliceRef> slice_at(TrackId track, std::uint16_t depth,
                                                 std::int64_t time_ns) const;
  // The innermost slice that encloses it at a lower depth.
  [[nodiscard]] std::optional<SliceRef> parent(SliceRef ref) const;
  // The other end of a forward-backward link. Nested slices of one track that share a flow are one
  // end, and the deepest of them stands for it.
  [[nodiscard]] std::optional<SliceRef> flow_partner(SliceRef ref) const;

  // Slices whose name or module contains `text` (ASCII case ignored), in time order, the first
  // `most`. No text finds nothing.
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
