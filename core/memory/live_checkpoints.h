#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/block.h"

namespace ts::memory {

// Lists of live blocks at some events, so that the state after any event is found without replaying
// the log from its start. A checkpoint is taken when as many events passed as the last one is long
// (at least 1024): at most 4 bytes an event, and O(1) amortised work.
class LiveCheckpoints {
 public:
  // Whether one is to be taken after this event: to be asked after each.
  [[nodiscard]] bool due(EventIndex event) const { return std::size_t{event} + 1 >= due_; }
  // With the log as it is then.
  void take(EventIndex event, std::span<const Block> blocks);

  // Live blocks right after `event`, in the order of their allocation.
  [[nodiscard]] std::vector<BlockIndex> live_after(EventIndex event,
                                                   std::span<const Block> blocks) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Checkpoint {
    EventIndex event = 0;
    BlockIndex next_block = 0;  // blocks from here on were born later
    std::size_t begin = 0;      // of its list in live_
    std::size_t end = 0;
  };
  std::vector<Checkpoint> checkpoints_;
  std::vector<BlockIndex> live_;
  std::size_t due_ = 1024;  // number of events at which the next one is taken
};

}  // namespace ts::memory
