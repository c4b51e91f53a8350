#pragma once

#include <cstdint>

#include "core/run/run.h"

namespace ts::views {

// The known memory need of a specification.
struct MemoryNeed {
  std::int64_t bytes = 0;  // 0: nothing is known
  bool at_least = false;   // the run did not finish: it may need more
  bool predicted = false;  // for the card, with memory reserved by its allocator and its context
};

// The peak of a run that ended well. If the allocator refused: the memory used then plus the
// refused request. In every other case the peak so far.
MemoryNeed memory_need(const run::Run& run);

}  // namespace ts::views
