#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/blocks/block_source.h"

namespace ts::blocks {

// The segments and blocks of one device at any event of its trace, from the final segments and the
// trace undone from its end. One thread. Trace, notes, lists and log of the source outlive it; the
// objects that own them may move.
//
// Sizes are exact for blocks that live at the end. Of others the trace has the requested size only:
// they get it rounded by the recorded settings, and what a block got beyond that shows as free.
// Neighbouring ranges of one expandable segment are one segment. Blocks outside every segment,
// which a trace with lost events may have, are left out. Stepping back restores every state
// exactly.
class AllocatorHistory {
 public:
  // Stands at the end. O(events x log(live)): half a second for a million.
  explicit AllocatorHistory(const BlockSource& source);

  // Events of the trace, and how many of them have happened.
  [[nodiscard]] std::size_t size() const { return trace_.size(); }
  [[nodiscard]] std::size_t position() const { return position_; }
  // To the state after so many events. O(distance x log(live)), and at most O(live) and about
  // 65,536 events, or 16 times as many as blocks live, from the nearest state that is kept.
  void move_to(std::size_t position);

  // By address, blocks without gaps; free parts are blocks of state inactive. O(live).
  [[nodiscard]] std::vector<allocator::SnapshotSegment> segments() const;
  // The block of the log that lives at this address now.
  [[nodiscard]] std::optional<memory::BlockIndex> block_at(std::uint64_t address) const;
  // The block that an event of the trace allocates or frees, if it is known.
  [[nodiscard]] std::optional<memory::BlockIndex> block_of_event(std::size_t event) const;
  [[nodiscard]] std::size_t bytes() const;  // for stepping back and far, at this position

 private:
  struct Range {
    std::int64_t size = 0;
    std::int64_t stream = 0;
    allocator::PoolId pool = {};
    allocator::StackIndex stack = memory::kNone;
    bool small_pool = false;
    bool expandable = false;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Live {
    std::int64_t size = 0;
    std::int64_t requested = 0;
    allocator::StackIndex stack = memory::kNone;
    memory::BlockIndex block = memory::kNone;
    bool pending = false;
    friend bool operator==(const Live&, const Live&) = default;
  };
  using Ranges = std::map<std::uint64_t, Range>;
  using Lives = std::map<std::uint64_t, Live>;
  // How the ranges were before an event.
  struct RangesUndo {
    std::vector<std::pair<std::uint64_t, Range>> removed;
    std::vector<std::uint64_t> added;
  };
  // The state after so many events.
  struct State {
    std::size_t position = 0;
    std::size_t next_block = 0;
    std::vector<std::pair<std::uint64_t, Range>> ranges;
    std::vector<std::pair<std::uint64_t, Live>> lives;
  };
  // The block of an address as it was before an event that changed it in an unusual way.
  struct Other {
    std::size_t event = 0;
    Live live;
  };

  void read_final_state(std::span<const allocator::SnapshotSegment> segments);
  void find_start();
  void go_to_end();  // keeps states on its way
  void restore(const State& state);
  void forget_undo();
  void apply(std::size_t event);
  void take_back(std::size_t event);
  void complete_free(std::size_t event);
  void note_other(std::size_t event, const Live& live) { others_.push_back({event, live}); }
  [[nodiscard]] bool has_other(std::size_t event) const {
    return !others_.empty() && others_.back().event == event;
  }
  void add_range(std::uint64_t address, const Range& range, RangesUndo& undo);
  void remove_range(std::uint64_t address, std::int64_t size, RangesUndo& undo);
  [[nodiscard]] Range range_of(const allocator::TraceEntry& entry) const;
  [[nodiscard]] Live live_of(const allocator::TraceEntry& entry, memory::BlockIndex block) const;
  // As its allocation made it; unset for a block that no event of the trace allocates.
  [[nodiscard]] std::optional<Live> allocated(memory::BlockIndex block) const;
  [[nodiscard]] allocator::StackIndex stack_of(memory::BlockIndex block) const {
    return block < stacks_.size() ? stacks_[block] : memory::kNone;
  }

  std::span<const allocator::EntryNotes> notes_;
  std::int64_t device_ = 0;
  std::span<const allocator::TraceEntry> trace_;
  std::span<const memory::Block> log_;  // the blocks of the log; below: see BlockSource
  std::span<const allocator::StackIndex> stacks_;
  std::span<const std::uint32_t> entries_;
  allocator::AllocatorSettings settings_;
  std::map<std::uint64_t, Live> final_;  // at the end, by address
  std::map<std::uint64_t, Range> final_ranges_;
  std::size_t position_ = 0;
  Ranges ranges_;
  Lives lives_;
  std::size_t next_block_ = 0;  // that an event from position_ on allocates
  std::vector<State> states_;   // ascending, the first one before all events
  // For stepping back as far as undo_from_, in a few bytes, since a trace has millions of events:
  // what each end of a free ended, and what is not the usual course of a block.
  std::size_t undo_from_ = 0;
  std::vector<memory::BlockIndex> freed_;  // as allocated() and asked to be freed; kNone: nothing
  std::vector<Other> others_;
  std::vector<RangesUndo> ranges_undo_;
};

// How the free memory of segments lies, in bytes.
struct FreePieces {
  std::int64_t reserved = 0;
  std::int64_t used = 0;  // in blocks, pending ones included
  std::int64_t pieces = 0;
  std::int64_t largest = 0;
  [[nodiscard]] std::int64_t free() const { return reserved - used; }
};
FreePieces free_pieces(std::span<const allocator::SnapshotSegment> segments);

// A request that found enough free memory in its pool and stream, but in pieces that are all too
// small: more memory was taken from the device, or the request was refused.
struct Misfit {
  std::size_t event = 0;       // of the trace: where memory was taken, or the refusal
  std::int64_t requested = 0;  // bytes, rounded
  FreePieces free;             // of its pool and stream, right before
  bool refused = false;
};

// The one that wasted most, a refusal before all others; unset if there is none. Moves a history of
// its own over the whole trace: O(segments taken x live + events).
std::optional<Misfit> worst_misfit(const BlockSource& source);

}  // namespace ts::blocks
