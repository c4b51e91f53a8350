#include "core/run/hunt_progress.h"

#include "core/base/clock.h"
#include "core/run/spec_values.h"

namespace ts::run {

HuntWork::HuntWork(std::uint64_t id, HuntRequest request)
    : request_(std::move(request)),
      progress_{id,
                request_.target,
                {request_.spec, request_.x, request_.y, request_.cells_per_axis},
                std::nullopt,
                std::nullopt,
                true,
                false,
                {},
                0,
                std::nullopt} {
  if (request_.other)
    progress_.other.emplace(*request_.other, request_.x, request_.y, request_.cells_per_axis);
}

std::optional<HuntWork::Next> HuntWork::next() {
  if (const auto index = progress_.map.next()) return Next{&progress_.map, *index};
  if (progress_.other) {
    if (const auto index = progress_.other->next()) return Next{&*progress_.other, *index};
  }
  if (const auto index = progress_.map.next_inferred()) return Next{&progress_.map, *index};
  return std::nullopt;
}

void HuntWork::cancel() {
  if (!progress_.running) return;
  progress_.running = false;
  progress_.cancelled = true;
}

std::optional<ProbeAnswer> HuntWork::ask(WorkloadSpec spec, DryRunner& runner,
                                         base::StringTable& strings,
                                         const base::CancelToken& cancel) {
  spec.device = request_.target.kind;
  const auto dry = runner.dry_run(spec, dry_run_options(request_.target), strings, cancel);
  if (!dry) {
    if (cancel.cancelled()) return std::nullopt;
    progress_.problem = dry.error().sentence;
    progress_.running = false;
    return std::nullopt;
  }
  const Prediction prediction = predict(
      *dry, strings, request_.target, allocator_settings_of(request_.spec), request_.scratch.get());
  return ProbeAnswer{prediction.fit, prediction.needed, prediction.sentence,
                     prediction.peak_requested};
}

void HuntWork::find_exact_edge(DryRunner& runner, base::StringTable& strings,
                               const base::CancelToken& cancel) {
  const Probe probe = [&](const WorkloadSpec& spec) -> base::Result<ProbeAnswer> {
    auto answer = ask(spec, runner, strings, cancel);
    if (!answer) return base::fail(progress_.problem);
    return std::move(*answer);
  };
  auto edge = hunt_edge(request_.spec, request_.x, request_.target.name, probe, cancel);
  // A cancelled search is begun anew; an axis without a possible value has no edge.
  if (cancel.cancelled()) return;
  progress_.exact =
      ExactEdge{number_of(request_.spec, request_.y.field), edge ? std::move(*edge) : EdgeHunt()};
}

void HuntWork::probe(DryRunner& runner, base::StringTable& strings,
                     const base::CancelToken& cancel) {
  if (!progress_.running) return;
  const std::int64_t begin_ns = base::now_ns();
  const auto count_time = [&] {
    progress_.seconds += static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  };
  if (!progress_.map.next() && !progress_.exact) {
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

}  // namespace ts::run
