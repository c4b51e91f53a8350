#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/block.h"
#include "core/memory/record.h"

namespace ts::memory {

using CategoryBytes = std::array<std::int64_t, kCategoryCount>;

// All memory events of one run, append-only, with exact running totals. One owner thread; spans are
// valid until the next append.
//
// Events: a block is live from alloc to free_completed (free_requested alone changes nothing, as in
// PyTorch: the block stays in use until its streams are done). Times never decrease: an event with
// an earlier time than its predecessor gets the predecessor's time. An alloc at a live address
// means that the free was lost: a free event is inserted before it, and counted.
//
// Categories: `owner` records set parameter, gradient, optimizer state and input. A block allocated
// in a forward that keeps a graph becomes an activation if it is still live at the end of its
// operator, and stays one if it is live when the forward phase (and loss) ends, or when the
// allocator refuses. Every other block is a temporary once it is freed or its phase ends; set-up
// blocks without an owner are temporaries if they are freed before it ends, else unknown. Until one
// of these is decided a block is unknown. A cancelled step ends its phase before it unwinds,
// otherwise its activations count as temporaries.
class AllocationLog {
 public:
  AllocationLog();
  ~AllocationLog();
  AllocationLog(AllocationLog&&) noexcept;
  AllocationLog& operator=(AllocationLog&&) noexcept;

  void append(const Record& record);
  // Reserves space for so many allocations to come, so that nothing moves while they are appended.
  void reserve(std::size_t allocations);

  // For a log whose blocks are decided elsewhere: the category of each block, and phases in place
  // of those of the records. Blocks without a phase (idle) take the phase and step that they fall
  // in.
  void decide(std::span<const Category> categories, std::vector<PhaseSpan> phases);

  [[nodiscard]] std::span<const Event> events() const;
  [[nodiscard]] std::span<const Block> blocks() const;
  [[nodiscard]] std::span<const PhaseSpan> phases() const;
  // Records of a backward with graph_kept set belong to a part of the forward that runs again.
  [[nodiscard]] std::span<const RecomputeSpan> recomputations() const;
  [[nodiscard]] std::optional<OutOfMemory> out_of_memory() const;  // the first one
  // Counts every change: a view redraws only when it changed. Categories may change later.
  [[nodiscard]] std::uint64_t version() const;
  [[nodiscard]] std::uint64_t unmatched_frees() const;   // frees of blocks that are not in the log
  [[nodiscard]] std::uint64_t missed_frees() const;      // frees inserted for reused addresses
  [[nodiscard]] std::uint64_t unmatched_owners() const;  // owners of blocks that are not live

  [[nodiscard]] std::int64_t current_bytes() const;
  [[nodiscard]] std::int64_t peak_bytes() const;
  [[nodiscard]] EventIndex peak_event() const;  // the first at the peak; kNone when empty

  // Bytes that the allocator held of the device, after every change; empty if not recorded.
  [[nodiscard]] std::span<const Reserved> reserved() const;
  [[nodiscard]] std::int64_t peak_reserved() const;

  // State right after an event; kNone is the state before the first. O(live + events since the last
  // checkpoint), which are at most max(1024, live). Categories have their current values.
  [[nodiscard]] std::vector<BlockIndex> live_after(EventIndex event) const;  // by alloc order
  [[nodiscard]] CategoryBytes by_category_after(EventIndex event) const;
  // Last event at or before a time; kNone before the first.
  [[nodiscard]] EventIndex event_at(std::int64_t time_ns) const;
  [[nodiscard]] base::TimeRange time_range() const;  // ends 1 ns after the last event
  [[nodiscard]] std::size_t bytes() const;           // resident memory of the log, estimated

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::memory
