// A loader with workers, the copy to the GPU, and the step that waits for both.
//
// Assumed: worker w makes the batches w, w + workers, ..., as PyTorch's DataLoader deals them out,
// and holds at most `prefetch` of its own that nobody took; batches are taken in their order; there
// is one copy at a time, which overlaps with the step before; the step waits for the copy. Workers
// do not disturb one another: `cores` bounds what check C-9 allows, and nothing else.
#include <algorithm>
#include <cmath>

#include "core/simulate/simulation.h"

namespace ts::simulate {
namespace {

Outcome run_loader(const calculate::Chosen& chosen) {
  const auto batches = static_cast<std::size_t>(chosen.number("batches"));
  const auto workers = static_cast<std::size_t>(chosen.number("workers"));
  const auto prefetch = static_cast<std::size_t>(chosen.number("prefetch"));
  const double read = chosen.real("read_ms") * 1e-3;
  const double copy = chosen.real("copy_ms") * 1e-3;
  const double step = chosen.real("step_ms") * 1e-3;
  Outcome outcome;
  for (std::size_t i = 0; i < workers; ++i)
    outcome.lanes.push_back({"loader", "worker " + std::to_string(i)});
  const std::size_t copies = outcome.lanes.size();
  outcome.lanes.push_back({"GPU", "copy"});
  outcome.lanes.push_back({"GPU", "step"});
  std::vector<double> made(batches), taken(batches);
  double copied = 0;   // end of the last copy
  double stepped = 0;  // end of the last step
  double waited = 0;
  double latency = 0;
  double first_end = 0;
  using Kind = Interval::Kind;
  for (std::size_t i = 0; i < batches; ++i) {
    double begin = i < workers ? 0 : made[i - workers];
    const std::size_t room = workers * prefetch;
    if (i >= room) begin = std::max(begin, taken[i - room]);
    made[i] = begin + read;
    const std::string name = "batch " + std::to_string(i + 1);
    outcome.timeline.push_back(
        {.lane = i % workers, .name = name, .begin = begin, .end = made[i], .kind = Kind::compute});
    taken[i] = std::max(made[i], copied);
    copied = taken[i] + copy;
    outcome.timeline.push_back({.lane = copies,
                                .name = name,
                                .begin = taken[i],
                                .end = copied,
                                .kind = Kind::communication});
    const double start = std::max(copied, stepped);
    if (i > 0 && start > stepped) {
      waited += start - stepped;
      outcome.timeline.push_back({.lane = copies + 1,
                                  .name = "waits",
                                  .begin = stepped,
                                  .end = start,
                                  .kind = Kind::waiting});
    }
    stepped = start + step;
    outcome.timeline.push_back(
        {.lane = copies + 1, .name = name, .begin = start, .end = stepped, .kind = Kind::compute});
    latency += (stepped - begin) / static_cast<double>(batches);
    if (i == 0) first_end = stepped;
  }
  const double between = stepped - first_end;
  const double slowest = std::max(copy, step);
  using enum calculate::Unit;
  outcome.figures = {
      {"period", batches > 1 ? between / static_cast<double>(batches - 1) : stepped, seconds},
      {"latency", latency, seconds},
      {"waits_for_data", between > 0 ? waited / between : 0, share},
      {"enough_workers", std::ceil(read / slowest - 1e-9), number},
      {"all_batches", stepped, seconds}};
  return outcome;
}

}  // namespace

Simulation loader() {
  return {.id = "loader",
          .inputs = {{.name = "batches", .start = 64, .least = 1, .most = 10'000},
                     {.name = "workers", .start = 4, .least = 1, .most = 256},
                     {.name = "cores", .start = 16, .least = 1, .most = 1024},
                     {.name = "prefetch", .start = 2, .least = 1, .most = 64},
                     {.name = "read_ms", .unit = "ms", .start = 50, .least = 1, .most = 1'000'000},
                     {.name = "copy_ms", .unit = "ms", .start = 20, .least = 1, .most = 1'000'000},
                     {.name = "step_ms", .unit = "ms", .start = 15, .least = 1, .most = 1'000'000}},
          .run = run_loader};
}

}  // namespace ts::simulate
