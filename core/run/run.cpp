#include "core/run/run.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/run/step_summary.h"
#include "core/spec/workload_math.h"
#include "core/stats/quantiles.h"

namespace ts::run {

namespace {

// The rate for a median; one slow step does not change it.
std::optional<double> per_second(double per_step, double median_ms) {
  if (median_ms <= 0 || per_step <= 0) return std::nullopt;
  return per_step / (median_ms * 1e-3);
}

}  // namespace

const char* to_string(Verdict value) {
  constexpr std::array kNames = {"ok", "oom", "cancelled", "failed"};
  return kNames[static_cast<std::size_t>(value)];
}

Run::Run(const StartedUpdate& started)
    : id(started.id),
      spec(started.spec),
      protocol(started.protocol),
      limit(started.limit),
      limit_source(started.limit_source),
      target_capacity(started.target_capacity),
      begin_ns(started.begin_ns),
      device_name(started.device_name),
      earlier_runs(started.earlier_runs) {}

void Run::apply(Update&& update) {
  if (auto* batch = std::get_if<BatchUpdate>(&update)) {
    if (batch->id == id) add(batch->batch);
  } else if (auto* progress = std::get_if<ProgressUpdate>(&update)) {
    if (progress->id != id || finished) return;
    stage = progress->stage;
    fraction = progress->fraction;
    seconds_left = progress->seconds_left;
  } else if (auto* sample = std::get_if<SampleUpdate>(&update)) {
    if (sample->id == id) steps_of(sample->kind).push_back(sample->times);
  } else if (auto* facts_update = std::get_if<FactsUpdate>(&update)) {
    if (facts_update->id == id) facts = std::move(facts_update->facts);
  } else if (auto* recorded = std::get_if<SnapshotUpdate>(&update)) {
    if (recorded->id == id) snapshot = std::move(recorded->snapshot);
  } else if (auto* measured = std::get_if<RoofUpdate>(&update)) {
    if (measured->id == id) roof = measured->roof;
  } else if (auto* compared = std::get_if<ValuesUpdate>(&update)) {
    if (compared->id == id) values = std::move(compared->errors);
  } else if (const auto* peak = std::get_if<PeakUpdate>(&update)) {
    if (peak->id == id) allocator_peak = std::max(allocator_peak, peak->bytes);
  } else if (auto* end = std::get_if<FinishedUpdate>(&update)) {
    if (end->id == id) finish(std::move(*end));
  }
}

void Run::add(const capture::Batch& batch) {
  for (const auto& [track_id, track] : batch.tracks) {
    const trace::TrackId stored = trace.add_track(track);
    TS_CHECK(stored == track_id);
  }
  for (const auto& row : batch.slices) trace.append(row.track, row.depth, row.slice);
  launches.insert(batch.launches.begin(), batch.launches.end());
  for (const auto& record : batch.memory) memory.append(record);
  dropped = std::max(dropped, batch.dropped);
  clock_drift_ns = batch.clock_drift_ns;
}

std::vector<StepTimes>& Run::steps_of(SampleUpdate::Kind kind) {
  switch (kind) {
    case SampleUpdate::Kind::recorded:
      return recorded_steps;
    case SampleUpdate::Kind::warmup:
      return warmup_steps;
    case SampleUpdate::Kind::probe:
      return probe_steps;
    case SampleUpdate::Kind::timed:
      break;
  }
  return timed_steps;
}

void Run::finish(FinishedUpdate&& end) {
  finished = true;
  verdict = end.verdict;
  failure = std::move(end.failure);
  end_ns = end.end_ns;
  warmup_stable = end.warmup_stable;
  notes = std::move(end.notes);
  stage = Stage::done;
  seconds_left = 0;
  if (verdict == Verdict::ok) fraction = 1;
}

std::int64_t Run::peak_allocated() const {
  return allocator_peak > 0 ? allocator_peak : memory.peak_bytes();
}

TimingSummary Run::timing_of(std::int64_t StepTimes::*part) const {
  TimingSummary out = summarise_steps(timed_steps, part);
  set_warmup(out, warmup_stable, warmup_steps.size());
  return out;
}

std::optional<double> Run::tokens_per_s() const {
  return per_second(static_cast<double>(spec::tokens_per_step(spec)), timing().median_ms);
}

std::optional<double> Run::decode_tokens_per_s() const {
  const auto tokens = static_cast<double>(spec.batch * (spec.new_tokens - 1));
  return per_second(tokens, timing_of(&StepTimes::decode_ns).median_ms);
}

double Run::flops() const {
  const auto backend =
      facts.backend_ran.empty() ? spec.backend : spec::backend_for_formulas(facts.backend_ran);
  return spec::step_flops(spec, backend).total();
}

std::optional<double> Run::tflops_per_s() const {
  const double work = flops();
  const auto rate = per_second(work, timing().median_ms);
  if (!rate || work <= 0) return std::nullopt;  // a workload without products
  return *rate * 1e-12;
}

std::optional<RecordingCost> Run::recording_cost() const {
  return run::recording_cost(probe_steps, timed_steps);
}

base::TimeRange Run::range() const {
  const base::TimeRange slices = trace.range();
  const base::TimeRange events = memory.time_range();
  if (slices.empty()) return events;
  if (events.empty()) return slices;
  return {std::min(slices.begin, events.begin), std::max(slices.end, events.end)};
}

std::optional<double> Run::unsynchronised_ms() const {
  if (spec.device == spec::DeviceKind::cpu || timed_steps.empty()) return std::nullopt;
  std::vector<double> called;
  for (const StepTimes& step : timed_steps) {
    called.push_back(static_cast<double>(step.total_ns - step.waited_ns) * 1e-6);
  }
  std::ranges::sort(called);
  return stats::quantile_sorted(called, 0.5);
}

}  // namespace ts::run
