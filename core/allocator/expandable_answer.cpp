#include "core/allocator/expandable_answer.h"

#include <algorithm>
#include <vector>

namespace ts::allocator {

namespace {

using Kind = ExpandableAnswer::Kind;

bool reuses_memory(const Trace& trace) {
  const auto freed = std::ranges::find_if(trace, [](const TraceEntry& entry) {
    return entry.action == TraceAction::free_completed;
  });
  return std::any_of(freed, trace.end(), [](const TraceEntry& entry) {
    return entry.action == TraceAction::alloc || entry.action == TraceAction::oom;
  });
}

// `recorded_way`: without expandable segments, but from the start that was recorded.
Kind kind_of(const ExpandableAnswer& answer, const ReplayResult& recorded_way) {
  if (answer.refused > 0) {
    if (answer.refused_with == 0) return Kind::serves_all;
    return answer.refused_with < answer.refused ? Kind::serves_some : Kind::still_runs_out;
  }
  if (answer.refused_with > 0) return Kind::still_runs_out;
  if (answer.with.peak_reserved < answer.without.peak_reserved) return Kind::reserves_less;
  const bool differs = recorded_way.simulated_ooms > 0 ||
                       recorded_way.simulated.peak_reserved > answer.with.peak_reserved;
  return differs ? Kind::from_before : Kind::reserves_no_less;
}

}  // namespace

base::Result<ExpandableAnswer> would_expandable_segments_help(const Snapshot& snapshot,
                                                              std::size_t device,
                                                              const ReplayOptions& options,
                                                              const ReplayResult& result) {
  ExpandableAnswer answer;
  answer.refused = answer.refused_with = result.simulated_ooms;
  // If the replay agrees with the recording, both results are equal; if not, simulation is compared
  // with simulation.
  answer.without = answer.with = result.simulated;
  if (result.settings.expandable_segments) return answer;
  answer.kind = Kind::too_short;
  if (!reuses_memory(snapshot.device_traces[device])) return answer;
  ReplayOptions anew = options;
  anew.settings = result.settings;
  anew.start_anew = true;
  if (result.start_reserved > 0) {
    const auto without = replay(snapshot, device, anew);
    if (!without) return tl::unexpected(without.error());
    answer.without = without->simulated;
    answer.refused = without->simulated_ooms;
  }
  anew.settings->expandable_segments = true;
  const auto with = replay(snapshot, device, anew);
  if (!with) return tl::unexpected(with.error());
  answer.with = with->simulated;
  answer.refused_with = with->simulated_ooms;
  answer.kind = kind_of(answer, result);
  return answer;
}

}  // namespace ts::allocator
