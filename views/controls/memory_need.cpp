#include "views/controls/memory_need.h"

#include <algorithm>

namespace ts::views {

MemoryNeed memory_need(const run::Run& run) {
  MemoryNeed need;
  need.bytes = run.peak_allocated();
  need.at_least = !run.finished || run.verdict != run::Verdict::ok;
  if (run.finished && run.verdict == run::Verdict::oom && run.failure.bytes_asked > 0) {
    const std::int64_t taken = run.failure.bytes_limit - run.failure.bytes_free;
    need.bytes = std::max(need.bytes, taken + run.failure.bytes_asked);
  }
  return need;
}

}  // namespace ts::views
