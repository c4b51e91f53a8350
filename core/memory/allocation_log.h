#pragma once

#include <array>
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

// Everything that happened to memory in one run, append-only, with exact running totals. One owner
// thread; spans hold until the next append.
//
// Events: a block is live from alloc to free_completed (free_requested alone changes nothing, as in
// PyTorch: the block stays taken until its streams are done). Times never run back: an event that
// claims to be earlier than its predecessor gets the predecessor's time. An alloc at an address
// that is live means that the free was lost: a free event is put in before it, and counted.
//
// Categories: `owner` records decide parameter, gradient, optimizer state and input; a block born
// in a forward that keeps a graph is an activation from the end of its operator on if it lives
// still, and stays one if it lives when the forward phase (and loss) ends, or when the allocator
// refuses; every other block is a temporary once it is freed or its phase ends; set-up blocks
// nobody owns are unknown. Until one of these is known a block is unknown. A step that is cancelled
// ends its phase before it unwinds, or its activations count as temporaries.
class AllocationLog {
 public:
  AllocationLog();
  ~AllocationLog();
  AllocationLog(AllocationLog&&) noexcept;
  AllocationLog& operator=(AllocationLog&&) noexcept;

  void append(const Record& record);
  // Room for records that are all known, so that nothing moves while they are appended.
  void reserve(std::span<const Record> records);

  [[nodiscard]] std::span<const Event> events() const;
  [[nodiscard]] std::span<const Block> blocks() const;
  [[nodiscard]] std::span<const PhaseSpan> phases() const;
  // Records of a backward whose graph_kept is set belong to a part of the forward that runs again.
  [[nodiscard]] std::span<const RecomputeSpan> recomputations() const;
  [[nodiscard]] std::optional<OutOfMemory> out_of_memory() const;  // the first one
  // Counts every change: a view redraws only when it moved. Categories change after the fact.
  [[nodiscard]] std::uint64_t version() const;
  [[nodiscard]] std::uint64_t unmatched_frees() const;   // frees of blocks never seen
  [[nodiscard]] std::uint64_t missed_frees() const;      // frees put in for reused addresses
  [[nodiscard]] std::uint64_t unmatched_owners() const;  // owners of blocks that do not live

  [[nodiscard]] std::int64_t current_bytes() const;
  [[nodiscard]] std::int64_t peak_bytes() const;
  [[nodiscard]] EventIndex peak_event() const;  // the first at the peak; kNone when empty

  // What the allocator held of the device, after every change; empty where it was not told.
  [[nodiscard]] std::span<const Reserved> reserved() const;
  [[nodiscard]] std::int64_t peak_reserved() const;

  // State right after an event; kNone is the state before the first. O(live + events since the last
  // checkpoint), of which there are at most max(1024, live). Categories as they are known now.
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
