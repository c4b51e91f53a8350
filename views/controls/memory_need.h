#pragma once

#include <cstdint>

#include "core/run/run.h"

namespace ts::views {

// What is known of the memory a specification needs.
struct MemoryNeed {
  std::int64_t bytes = 0;  // 0: nothing is known
  bool at_least = false;   // the run did not get to its end: it may need more
  bool predicted = false;  // of the card, with what its allocator reserves and its context
};

// The peak of a run that ended well. When the allocator refused: what was taken then and what was
// asked for on top. In every other case the peak so far.
MemoryNeed memory_need(const run::Run& run);

}  // namespace ts::views
