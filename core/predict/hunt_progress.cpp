#include "core/predict/hunt_progress.h"

#include "core/base/clock.h"
#include "core/spec/repairs.h"
#include "core/spec/spec_values.h"

namespace ts::predict {

HuntSearch::HuntSearch(std::uint64_t id, HuntRequest request, const HuntProgress* earlier)
    : request_(std::move(request)),
      progress_{.id = id,
                .target = request_.target,
                .map = {request_.spec, request_.x, request_.y, request_.cells_per_axis}} {
  find_obstacle();
  if (request_.other)
    progress_.other.emplace(*request_.other, request_.x, request_.y, request_.cells_per_axis);
  if (earlier == nullptr || request_.afresh || !same_memory(earlier->target, request_.target))
    return;
  progress_.map.learn(earlier->map);
  if (progress_.other && earlier->other) progress_.other->learn(*earlier->other);
}

void HuntSearch::find_obstacle() {
  const HuntMap& map = progress_.map;
  if (map.size() == 0 || map.count(CellState::impossible) < map.size()) return;
  // The smallest sizes are the least likely to cause a problem.
  const auto problems = spec::problems_on(map.spec_of(0), request_.target.kind);
  if (problems.empty()) return;
  progress_.obstacle = problems.front();
}

std::optional<HuntSearch::Next> HuntSearch::next() {
  if (const auto index = progress_.map.next()) return Next{&progress_.map, *index};
  if (progress_.other) {
    if (const auto index = progress_.other->next()) return Next{&*progress_.other, *index};
  }
  if (const auto index = progress_.map.next_inferred()) return Next{&progress_.map, *index};
  return std::nullopt;
}

void HuntSearch::cancel() {
  if (!progress_.running) return;
  progress_.running = false;
  progress_.cancelled = true;
}

std::optional<ProbeAnswer> HuntSearch::ask(spec::WorkloadSpec spec, DryRunner& runner,
                                           base::StringTable& strings,
                                           const base::CancelToken& cancel) {
  spec.device = request_.target.kind;
  const auto dry = runner.dry_run(spec, dry_run_options(request_.target), strings, cancel);
  if (!dry) {
    if (cancel.cancelled()) return std::nullopt;
    progress_.problem = dry.error();
    progress_.running = false;
    return std::nullopt;
  }
  const Prediction prediction = predict(
      *dry, strings, request_.target, allocator_settings_of(request_.spec), request_.scratch.get());
  return answer_of(prediction, request_.target);
}

// First the edge, which is shown meanwhile, then the values above it that fit.
void HuntSearch::find_exact_edge(DryRunner& runner, base::StringTable& strings,
                                 const base::CancelToken& cancel) {
  const Probe probe = [&](const spec::WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    auto answer = ask(spec, runner, strings, cancel);
    if (!answer) return tl::unexpected(progress_.problem);
    return std::move(*answer);
  };
  spec::WorkloadSpec base = request_.spec;
  if (request_.row > 0) static_cast<void>(spec::set_number(base, request_.y.field, request_.row));
  if (progress_.exact) {
    EdgeHunt edge = progress_.exact->edge;
    static_cast<void>(search_above(edge, base, request_.x, request_.target.name, probe, cancel));
    if (cancel.cancelled()) return;
    progress_.exact->edge = std::move(edge);
    progress_.exact->searched_above = true;
    return;
  }
  auto edge = hunt_edge(base, request_.x, request_.target.name, probe, cancel);
  // A cancelled search is restarted; an axis without a possible value has no edge.
  if (cancel.cancelled()) return;
  progress_.exact =
      ExactEdge{spec::number_of(base, request_.y.field), edge ? std::move(*edge) : EdgeHunt()};
}

void HuntSearch::probe(DryRunner& runner, base::StringTable& strings,
                       const base::CancelToken& cancel) {
  if (!progress_.running) return;
  const std::int64_t begin_ns = base::now_ns();
  const auto count_time = [&] {
    progress_.seconds += static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  };
  if (!progress_.map.next() && !(progress_.exact && progress_.exact->searched_above)) {
    if (!progress_.frontier_after) progress_.frontier_after = progress_.seconds;
    find_exact_edge(runner, strings, cancel);
    return count_time();
  }
  const auto cell = next();
  if (!cell) {
    progress_.running = false;
    return;
  }
  auto answer = ask(cell->map->spec_of(cell->index), runner, strings, cancel);
  if (!answer) return;
  cell->map->tell(cell->index, std::move(*answer));
  count_time();
}

}  // namespace ts::predict
