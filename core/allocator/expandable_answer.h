#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/allocator/replay.h"
#include "core/base/result.h"

namespace ts::allocator {

// Finds out whether expandable segments would have helped: the recording is replayed once more with
// them, on the same device and with all other settings unchanged. Blocks live before the recording
// are then allocated anew, without the memory cached beside them; so `without` begins anew too. A
// lower peak counts only if it saves more than beginning anew changes.
struct ExpandableAnswer {
  enum class Kind : std::uint8_t {
    already_on,       // nothing to compare
    too_short,        // nothing is allocated after a free: no reuse to examine
    from_before,      // it depends on how memory was reserved before the recording
    served_anyway,    // the model refuses nothing without them either, unlike the recording
    serves_all,       // no request is refused any more
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
  std::int64_t replayed_peak = 0;  // reserved bytes, from the start that was recorded
  [[nodiscard]] bool is_known() const {
    return kind != Kind::too_short && kind != Kind::from_before && kind != Kind::served_anyway;
  }
  [[nodiscard]] bool helps() const {
    return kind == Kind::serves_all || kind == Kind::serves_some || kind == Kind::reserves_less;
  }
};

// The name of its text: "too_short".
std::string_view to_string(ExpandableAnswer::Kind kind);

// `result` is the return value of replay() for `device` and `options`. Errors as replay().
base::Result<ExpandableAnswer> would_expandable_segments_help(const Snapshot& snapshot,
                                                              std::size_t device,
                                                              const ReplayOptions& options,
                                                              const ReplayResult& result);

}  // namespace ts::allocator
