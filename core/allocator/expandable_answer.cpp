#include "core/allocator/expandable_answer.h"

#include <array>
#include <cstdlib>

namespace ts::allocator {

namespace {

using Kind = ExpandableAnswer::Kind;

// `recorded_way`: without expandable segments, but from the start that was recorded.
Kind kind_of(const ExpandableAnswer& answer, const ReplayResult& recorded_way) {
  if (answer.refused > 0) {
    if (answer.refused_with == 0) return Kind::serves_all;
    return answer.refused_with < answer.refused ? Kind::serves_some : Kind::still_runs_out;
  }
  if (answer.refused_with > 0) return Kind::still_runs_out;
  const bool begins_empty = recorded_way.start_reserved == 0;
  if (recorded_way.simulated_ooms > 0)
    return begins_empty ? Kind::served_anyway : Kind::from_before;
  if (!begins_empty && recorded_way.recorded.segment_allocs == 0) return Kind::from_before;
  const std::int64_t less = answer.without.peak_reserved - answer.with.peak_reserved;
  const std::int64_t anew = std::abs(answer.replayed_peak - answer.without.peak_reserved);
  if (less > anew) return Kind::reserves_less;
  const bool differs = less > 0 || answer.replayed_peak > answer.with.peak_reserved;
  return differs ? Kind::from_before : Kind::reserves_no_less;
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 9> kNames{
      "already_on",  "too_short",      "from_before",   "served_anyway",   "serves_all",
      "serves_some", "still_runs_out", "reserves_less", "reserves_no_less"};
  return kNames[static_cast<std::size_t>(kind)];
}

base::Result<ExpandableAnswer> would_expandable_segments_help(const Snapshot& snapshot,
                                                              std::size_t device,
                                                              const ReplayOptions& options,
                                                              const ReplayResult& result) {
  ExpandableAnswer answer;
  answer.refused = answer.refused_with = result.simulated_ooms;
  // If the replay agrees with the recording, both results are equal; if not, simulation is compared
  // with simulation.
  answer.without = answer.with = result.simulated;
  answer.replayed_peak = result.simulated.peak_reserved;
  if (result.settings.expandable_segments) return answer;
  answer.kind = Kind::too_short;
  if (!reuses_memory(snapshot.device_traces[device])) return answer;
  ReplayOptions anew = options;
  anew.settings = result.settings;
  anew.start_anew = true;
  if (result.start_reserved > 0 || !result.recorded_ooms.empty()) {
    TS_TRY(const auto without, replay(snapshot, device, anew));
    answer.without = without.simulated;
    answer.refused = without.simulated_ooms;
  }
  anew.settings->expandable_segments = true;
  TS_TRY(const auto with, replay(snapshot, device, anew));
  answer.with = with.simulated;
  answer.refused_with = with.simulated_ooms;
  answer.kind = kind_of(answer, result);
  return answer;
}

}  // namespace ts::allocator
