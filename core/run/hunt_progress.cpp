#include "core/run/hunt_progress.h"

#include "core/base/clock.h"

namespace ts::run {

HuntWork::HuntWork(std::uint64_t id, HuntRequest request)
    : request_(std::move(request)),
      progress_{
          id,   request_.target, {request_.spec, request_.x, request_.y, request_.cells_per_axis},
          true, false,           {},
          0,    std::nullopt} {}

void HuntWork::cancel() {
  if (!progress_.running) return;
  progress_.running = false;
  progress_.cancelled = true;
}

void HuntWork::probe(DryRunner& runner, base::StringTable& strings,
                     const base::CancelToken& cancel) {
  if (!progress_.running) return;
  auto index = progress_.map.next();
  if (!index) {
    if (!progress_.frontier_after) progress_.frontier_after = progress_.seconds;
    index = progress_.map.next_inferred();
  }
  if (!index) {
    progress_.running = false;
    return;
  }
  const std::int64_t begin_ns = base::now_ns();
  WorkloadSpec spec = progress_.map.spec_of(*index);
  spec.device = request_.target.kind;
  const auto dry = runner.dry_run(spec, dry_run_options(request_.target), strings, cancel);
  if (!dry) {
    if (cancel.cancelled()) return;
    progress_.problem = dry.error().sentence;
    progress_.running = false;
    return;
  }
  const Prediction prediction =
      predict(*dry, strings, request_.target, request_.settings, request_.scratch.get());
  progress_.map.tell(*index, {prediction.fit, prediction.needed, prediction.sentence});
  progress_.seconds += static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
}

}  // namespace ts::run
