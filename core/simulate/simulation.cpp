#include "core/simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::simulate {

double Outcome::value(std::string_view figure) const {
  return std::ranges::find(figures, figure, &Figure::name)->value;
}

std::span<const Simulation> simulations() {
  static const std::vector<Simulation> all = {data_parallel(), pipeline(), loader()};
  return all;
}

base::Result<const Simulation*> simulation_from(std::string_view id) {
  return one_of(simulations(), id);
}

base::Result<const Simulation*> one_of(std::span<const Simulation> all, std::string_view id) {
  const auto found = std::ranges::find(all, id, &Simulation::id);
  if (found != all.end()) return &*found;
  return text::fail("simulate_error.no_simulation",
                    {{"id", std::string(id)}, {"known", text::joined(all, ", ", &Simulation::id)}});
}

trace_file::TraceFile trace_of(const Outcome& outcome, std::string_view what) {
  trace_file::TraceFile trace;
  std::map<std::string, std::size_t, std::less<>> processes;  // their numbers
  for (std::size_t i = 0; i < outcome.lanes.size(); ++i) {
    const Lane& lane = outcome.lanes[i];
    const std::size_t process = processes.emplace(lane.process, processes.size() + 1).first->second;
    trace.tracks.push_back({.process = std::to_string(process),
                            .thread = std::to_string(i + 1),
                            .process_name = lane.process + std::string(what),
                            .thread_name = lane.process + " " + lane.name});
  }
  const auto nanoseconds = [](double seconds) { return std::llround(seconds * 1e9); };
  for (const Interval& interval : outcome.timeline) {
    trace_file::Event event;
    event.begin_ns = nanoseconds(interval.begin);
    event.duration_ns = nanoseconds(interval.end) - event.begin_ns;
    event.name = trace.strings->intern(interval.name);
    event.track = static_cast<std::uint32_t>(interval.lane);
    event.kind = interval.kind == Interval::Kind::waiting ? trace_file::EventKind::synchronisation
                                                          : trace_file::EventKind::op;
    trace.events.push_back(event);
  }
  std::ranges::stable_sort(trace.events, [](const auto& a, const auto& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.duration_ns > b.duration_ns;
  });
  trace.event_count = trace.events.size();
  return trace;
}

}  // namespace ts::simulate
