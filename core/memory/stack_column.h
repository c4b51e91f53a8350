#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/memory/active_memory_layout.h"

namespace ts::memory {

// A block in the stack of one moment, however small it is.
struct StackPlace {
  BlockIndex block = kNone;
  std::int64_t bottom = 0;  // bytes
  std::int64_t top = 0;
  bool drawn = true;  // individually
};

// The stack of the layout (see ActiveMemoryLayout) right after one event, to be asked what lies
// where. O(live) to make and in memory.
class StackColumn {
 public:
  StackColumn() = default;
  // kNone: before the first event, when nothing lies there.
  StackColumn(const AllocationLog& log, EventIndex event);

  [[nodiscard]] EventIndex event() const { return event_; }
  // The block that covers this byte. O(log live).
  [[nodiscard]] std::optional<StackPlace> at(const AllocationLog& log, const DrawnBlocks& drawn,
                                             std::int64_t bytes) const;

 private:
  EventIndex event_ = kNone;
  std::vector<BlockIndex> blocks_;  // from the bottom
  std::vector<std::int64_t> tops_;
};

}  // namespace ts::memory
