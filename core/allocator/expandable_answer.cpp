#include "core/allocator/expandable_answer.h"

namespace ts::allocator {

std::int64_t refused_requests(const ReplayResult& result) {
  const std::size_t refused = result.recorded_ooms.size() - result.ooms_that_fit.size();
  return static_cast<std::int64_t>(refused) + result.simulated_ooms;
}

base::Result<ExpandableAnswer> would_expandable_segments_help(const Snapshot& snapshot,
                                                              std::size_t device,
                                                              const ReplayOptions& options,
                                                              const ReplayResult& result) {
  using Kind = ExpandableAnswer::Kind;
  ExpandableAnswer answer;
  answer.refused = answer.refused_with = refused_requests(result);
  // Where the replay agrees with the recording the two are the same; where it does not, like is
  // compared with like.
  answer.without = answer.with = result.simulated;
  if (result.settings.expandable_segments) return answer;
  ReplayOptions with = options;
  with.settings = result.settings;
  with.settings->expandable_segments = true;
  const auto other = replay(snapshot, device, with);
  if (!other) return base::fail(other.error().sentence);
  answer.with = other->simulated;
  answer.refused_with = refused_requests(*other);
  if (answer.refused > 0) {
    answer.kind = answer.refused_with == 0               ? Kind::serves_all
                  : answer.refused_with < answer.refused ? Kind::serves_some
                                                         : Kind::still_runs_out;
  } else if (answer.refused_with > 0) {
    answer.kind = Kind::still_runs_out;
  } else {
    answer.kind = answer.with.peak_reserved < answer.without.peak_reserved ? Kind::reserves_less
                                                                           : Kind::reserves_no_less;
  }
  return answer;
}

}  // namespace ts::allocator
