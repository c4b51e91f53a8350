#include "core/checks/simulation_checks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/checks/thresholds.h"

namespace ts::checks {
namespace {

using report::Finding;

constexpr std::int64_t kMostWorkers = 8;
constexpr double kNearBest = 1.05;

Finding workers(const simulate::Simulation& simulation, const calculate::Chosen& chosen,
                const simulate::Outcome& outcome) {
  const std::int64_t now = chosen.number("workers");
  const std::int64_t most = std::clamp<std::int64_t>(chosen.number("cores") / 2, 1, kMostWorkers);
  const double period = outcome.value("period");
  double best = period;
  std::int64_t best_workers = now;
  calculate::Chosen tried = chosen;
  for (std::int64_t count = 1; count <= most; ++count) {
    if (!tried.set("workers", std::to_string(count))) continue;
    const double with = simulation.run(tried).value("period");
    if (with >= best) continue;
    best = with;
    best_workers = count;
  }
  const auto milliseconds = [](double seconds) { return text::decimal(seconds * 1e3, 1); };
  return {{report::passed_if(now <= most && period <= kNearBest * best),
           text::message("check.workers", {{"workers", std::to_string(now)},
                                           {"most", std::to_string(most)},
                                           {"period", milliseconds(period)},
                                           {"best", milliseconds(best)},
                                           {"best_workers", std::to_string(best_workers)}})}};
}

}  // namespace

std::vector<report::CheckResult> of_simulation(const simulate::Simulation& simulation,
                                               const calculate::Chosen& chosen,
                                               const simulate::Outcome& outcome) {
  std::vector<report::CheckResult> all;
  const auto add = [&](const char* id, const char* why, Finding found) {
    all.push_back({id, found->first, std::move(found->second), text::message(why)});
  };
  const std::string_view id = simulation.id;
  if (id == "loader") {
    add("C-9", "check.why.workers", workers(simulation, chosen, outcome));
    add("C-21", "check.why.loader", loader_share(100 * outcome.value("waits_for_data")));
  }
  if (id == "data_parallel" && chosen.number("ranks") > 1) {
    add("C-10", "check.why.communication",
        communication_share(100 * outcome.value("communication") / outcome.value("step_time")));
    add("C-16", "check.why.overlap", overlap_share(100 * outcome.value("overlapped")));
  }
  return all;
}

}  // namespace ts::checks
