#pragma once

#include <cstddef>
#include <cstdint>

#include "core/allocator/replay.h"
#include "core/base/result.h"

namespace ts::allocator {

// Would expandable segments have helped? The same recording replayed once more with them, on the
// same device and with all other settings as they were.
struct ExpandableAnswer {
  enum class Kind : std::uint8_t {
    already_on,       // nothing to compare
    serves_all,       // what ran out of memory would not have
    serves_some,      // fewer requests are refused
    still_runs_out,   // as many are refused, or more
    reserves_less,    // nothing was refused; the peak is lower
    reserves_no_less  // nothing was refused; the peak is the same or higher
  };
  Kind kind = Kind::already_on;
  std::int64_t refused = 0;       // requests, without expandable segments
  std::int64_t refused_with = 0;  // and with them
  ReplayFigures without;
  ReplayFigures with;
  [[nodiscard]] bool helps() const {
    return kind == Kind::serves_all || kind == Kind::serves_some || kind == Kind::reserves_less;
  }
};

// Requests that ended in out of memory: those of the recording that the simulation could not serve
// either, and those that only the simulation refused.
std::int64_t refused_requests(const ReplayResult& result);

// `result` is what replay() gave for `device` and `options`. Errors as replay().
base::Result<ExpandableAnswer> would_expandable_segments_help(const Snapshot& snapshot,
                                                              std::size_t device,
                                                              const ReplayOptions& options,
                                                              const ReplayResult& result);

}  // namespace ts::allocator
