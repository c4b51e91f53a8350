#pragma once

#include <span>
#include <vector>

#include "core/memory/block.h"

namespace ts::memory {

// Lists of live blocks at some events, so that the state after any event is found without replaying
// the log from its start. A checkpoint is taken after as many events as the last list has entries
// (at least 1024): at most 4 bytes an event, and O(1) amortised work.
class LiveCheckpoints {
 public:
  // True if a checkpoint is to be taken after this event. Call it after each event.
  [[nodiscard]] bool due(EventIndex event) const { return std::size_t{event} + 1 >= due_; }
  // Takes a checkpoint from the blocks in their current state.
  void take(EventIndex event, std::span<const Block> blocks);

  // Live blocks right after `event`, in the order of their allocation.
  [[nodiscard]] std::vector<BlockIndex> live_after(EventIndex event,
                                                   std::span<const Block> blocks) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Checkpoint {
    EventIndex event = 0;
    BlockIndex next_block = 0;  // later allocations start at this block
    std::size_t begin = 0;      // of its list in live_
    std::size_t end = 0;
  };
  std::vector<Checkpoint> checkpoints_;
  std::vector<BlockIndex> live_;
  std::size_t due_ = 1024;  // number of events at which the next one is taken
};

}  // namespace ts::memory
