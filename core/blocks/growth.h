#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks/block_source.h"

namespace ts::blocks {

// Blocks of one stack of which more are alive after every step than after the one before. Stacks
// that differ in the frame of their step alone are one: our own recordings have such a frame.
struct GrowingStack {
  std::vector<allocator::FrameIndex> frames;  // innermost first, without that of the step
  std::int64_t first_bytes = 0;               // alive after the first step that is compared
  std::int64_t last_bytes = 0;                // and after the last
  std::int64_t first_count = 0;
  std::int64_t last_count = 0;
  std::vector<memory::BlockIndex> alive;  // after the last, the newest at the end
};

// Memory that grows from step to step. A leak does, a training loop does not.
struct Growth {
  // Last events of the steps that are compared: each ends where the next one begins, the last one
  // where its annotation says; without that it is left out. Fewer than kLeastSteps: nothing can be
  // told.
  std::vector<memory::EventIndex> ends;
  std::int64_t first_total = 0;  // bytes alive after the first of them
  std::int64_t last_total = 0;
  std::vector<GrowingStack> stacks;  // the fastest growing first

  static constexpr std::size_t kLeastSteps = 3;
  [[nodiscard]] bool known() const { return ends.size() >= kLeastSteps; }
  [[nodiscard]] std::int64_t intervals() const {
    return static_cast<std::int64_t>(ends.size()) - 1;
  }
};

// Steps come from the phases of the log. A stack grows if its bytes never shrink from one step to
// the next and grow in at least half of the steps. O(steps x live).
Growth find_growth(const BlockSource& source);

}  // namespace ts::blocks
