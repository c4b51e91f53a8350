// A pipeline of stages that micro-batches run through, forward and back.
//
// Assumed: all stages take the same time, a stage does one thing at a time, sending overlaps with
// computing. GPipe (Huang et al. 2019) does all forwards, then all backwards; 1F1B (Narayanan et
// al. 2019) alternates as soon as it can, so that fewer micro-batches are kept.
#include <algorithm>
#include <optional>

#include "core/simulate/simulation.h"

namespace ts::simulate {
namespace {

struct Work {
  bool backward = false;
  std::int64_t batch = 0;
};

// The work of a stage, in its order.
std::vector<Work> order_of(std::int64_t stage, std::int64_t stages, std::int64_t batches,
                           bool alternating) {
  std::vector<Work> order;
  std::int64_t forward = 0;
  const std::int64_t ahead = alternating ? std::min(stages - stage, batches) : batches;
  while (forward < ahead) order.push_back({false, forward++});
  for (std::int64_t backward = 0; backward < batches; ++backward) {
    order.push_back({true, backward});
    if (forward < batches) order.push_back({false, forward++});
  }
  return order;
}

Outcome run_pipeline(const calculate::Chosen& chosen) {
  const std::int64_t stages = chosen.number("pipeline_stages");
  const std::int64_t batches = chosen.number("micro_batches");
  const double forward = chosen.real("forward_ms") * 1e-3;
  const double backward = chosen.real("backward_ms") * 1e-3;
  const double send = chosen.real("send_us") * 1e-6;
  const auto at = [&](std::int64_t stage, const Work& work) {
    return static_cast<std::size_t>((stage * batches + work.batch) * 2 + (work.backward ? 1 : 0));
  };
  std::vector<std::optional<double>> ends(static_cast<std::size_t>(stages * batches * 2));
  std::vector<std::vector<Work>> orders;
  for (std::int64_t stage = 0; stage < stages; ++stage)
    orders.push_back(order_of(stage, stages, batches, chosen.number("one_f_one_b") != 0));
  // When the input of a work is there; unset: not known yet.
  const auto ready = [&](std::int64_t stage, const Work& work) -> std::optional<double> {
    if (!work.backward) {
      if (stage == 0) return 0;
      const auto& before = ends[at(stage - 1, work)];
      return before ? std::optional(*before + send) : std::nullopt;
    }
    if (stage + 1 == stages) return ends[at(stage, {false, work.batch})];
    const auto& after = ends[at(stage + 1, work)];
    return after ? std::optional(*after + send) : std::nullopt;
  };
  Outcome outcome;
  std::vector<double> free(static_cast<std::size_t>(stages), 0.0);
  std::vector<std::size_t> done(static_cast<std::size_t>(stages), 0);
  for (std::int64_t stage = 0; stage < stages; ++stage)
    outcome.lanes.push_back({"stage " + std::to_string(stage), "compute"});
  for (bool more = true; more;) {
    more = false;
    for (std::int64_t stage = 0; stage < stages; ++stage) {
      const auto here = static_cast<std::size_t>(stage);
      while (done[here] < orders[here].size()) {
        const Work& work = orders[here][done[here]];
        const auto input = ready(stage, work);
        if (!input) break;
        const double begin = std::max(free[here], *input);
        free[here] = begin + (work.backward ? backward : forward);
        ends[at(stage, work)] = free[here];
        outcome.timeline.push_back(
            {.lane = here,
             .name = (work.backward ? "backward " : "forward ") + std::to_string(work.batch + 1),
             .begin = begin,
             .end = free[here],
             .kind = Interval::Kind::compute});
        ++done[here];
        more = true;
      }
    }
  }
  const double time = *std::ranges::max_element(free);
  const double useful = static_cast<double>(batches) * (forward + backward);
  // Kept by the first stage, which keeps most.
  std::int64_t kept = 0;
  std::int64_t most = 0;
  for (const Work& work : orders.front()) most = std::max(most, kept += work.backward ? -1 : 1);
  using enum calculate::Unit;
  outcome.figures = {{"step_time", time, seconds},
                     {"useful", useful, seconds},
                     {"bubble", 1 - useful / time, share},
                     {"kept_batches", static_cast<double>(most), number}};
  return outcome;
}

}  // namespace

Simulation pipeline() {
  return {
      .id = "pipeline",
      .inputs =
          {{.name = "pipeline_stages", .start = 4, .least = 1, .most = 256},
           {.name = "micro_batches", .start = 8, .least = 1, .most = 1024},
           {.name = "forward_ms", .unit = "ms", .start = 10, .least = 1, .most = 1'000'000},
           {.name = "backward_ms", .unit = "ms", .start = 20, .least = 1, .most = 1'000'000},
           {.name = "send_us", .unit = "\xc2\xb5s", .start = 0, .least = 0, .most = 1'000'000'000},
           {.name = "one_f_one_b", .start = 1, .least = 0, .most = 1}},
      .run = run_pipeline};
}

}  // namespace ts::simulate
