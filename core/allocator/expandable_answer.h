#pragma once

#include <cstddef>
#include <cstdint>

#include "core/allocator/replay.h"
#include "core/base/result.h"

namespace ts::allocator {

// Would expandable segments have helped? The same recording replayed once more with them, on the
// same device and with all other settings as they were. What was alive before the recording is then
// allocated anew, without what was cached beside it; so `without` begins anew too.
struct ExpandableAnswer {
  enum class Kind : std::uint8_t {
    already_on,       // nothing to compare
    too_short,        // nothing is allocated after something was freed: no reuse to look at
    from_before,      // only what was cached before the recording makes a difference
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
  [[nodiscard]] bool is_known() const {
    return kind != Kind::too_short && kind != Kind::from_before;
  }
  [[nodiscard]] bool helps() const {
    return kind == Kind::serves_all || kind == Kind::serves_some || kind == Kind::reserves_less;
  }
};

// `result` is what replay() gave for `device` and `options`. Errors as replay().
base::Result<ExpandableAnswer> would_expandable_segments_help(const Snapshot& snapshot,
                                                              std::size_t device,
                                                              const ReplayOptions& options,
                                                              const ReplayResult& result);

}  // namespace ts::allocator
