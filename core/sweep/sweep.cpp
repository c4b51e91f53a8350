#include "core/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/check.h"
#include "core/base/coarse_to_fine.h"
#include "core/memory/before_backward.h"
#include "core/spec/workload_math.h"
#include "core/stats/quantiles.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

constexpr std::array<const char*, kPointStatusCount> kStatusNames = {
    "pending", "running", "ok", "oom", "too_slow", "cancelled", "failed", "predicted"};

double median_part(const run::Run& run, std::int64_t run::StepTimes::*part) {
  std::vector<double> samples;
  for (const run::StepTimes& step : run.timed_steps) {
    samples.push_back(static_cast<double>(step.*part) * 1e-6);
  }
  const auto summary = stats::summarise(std::move(samples));
  // A pass without that part has 0 there.
  return summary && summary->max > 0 ? summary->median : -1;
}

PartSpread spread_of(const run::Run& run, std::int64_t run::StepTimes::*part) {
  const run::TimingSummary summary = run.timing_of(part);
  return {summary.mean_ms, summary.std_ms};
}

double log_flops_of(const SweepPoint& point) {
  return std::log(std::max(spec::step_flops(point.spec, point.spec.backend).total(), 1.0));
}

// The least steps of a run: recorded, warm-up until it can have settled, timed with its probes.
double least_steps(const run::Protocol& protocol) {
  constexpr double kWarmup = 10;
  const double probes = protocol.probe_every > 0 ? 1.0 / std::max(protocol.probe_every, 2) : 0;
  return protocol.recorded_steps + kWarmup + protocol.min_samples * (1 + probes);
}

}  // namespace

const char* to_string(PointStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<PointStatus> point_status_from(std::string_view name) {
  for (std::size_t i = 0; i < kStatusNames.size(); ++i) {
    if (name == kStatusNames[i]) return static_cast<PointStatus>(i);
  }
  return std::nullopt;
}

PointMeasurement measurement_of(const run::Run& run) {
  PointMeasurement out;
  out.step = run.timing();
  out.forward_ms = median_part(run, &run::StepTimes::forward_ns);
  out.backward_ms = median_part(run, &run::StepTimes::backward_ns);
  out.optimizer_ms = median_part(run, &run::StepTimes::optimizer_ns);
  out.forward = spread_of(run, &run::StepTimes::forward_ns);
  out.backward = spread_of(run, &run::StepTimes::backward_ns);
  out.optimizer = spread_of(run, &run::StepTimes::optimizer_ns);
  if (const auto tokens = run.tokens_per_s()) {
    out.tokens_per_s = *tokens;
    const auto per_step = static_cast<double>(spec::tokens_per_step(run.spec));
    out.samples_per_s = *tokens / per_step * static_cast<double>(run.spec.batch);
  }
  out.tflops_per_s = run.tflops_per_s().value_or(-1);
  out.peak_allocated = run.peak_allocated();
  if (const auto before = memory::before_backward(run.memory)) out.before_backward = before->bytes;
  out.limit = run.limit;
  out.limit_source = run.limit_source;
  out.parameters = run.facts.parameters;
  out.backend_ran = run.facts.backend_ran;
  if (run.verdict == run::Verdict::oom) {
    out.op = run.failure.op;
    out.module = run.failure.module;
    out.bytes_asked = run.failure.bytes_asked;
    out.bytes_free = run.failure.bytes_free;
  }
  out.wall_s = static_cast<double>(run.end_ns - run.begin_ns) * 1e-9;
  out.roofs = report::roofs_of_run(run);
  return out;
}

Sweep::Sweep(SweepSpec spec) : spec_(std::move(spec)), series_(series_of(spec_)) {
  const auto places = places_of(spec_);
  for (std::size_t s = 0; s < series_.size(); ++s) {
    for (const auto& at : places) {
      SweepPoint point;
      point.series = s;
      point.at = at;
      if (auto made = spec_at(spec_, series_[s], at)) {
        point.spec = std::move(*made);
      } else {
        point.spec = series_[s].base;
        point.status = PointStatus::failed;
        point.reason = made.error();
      }
      log_flops_.push_back(log_flops_of(point));
      points_.push_back(std::move(point));
    }
  }
  const std::size_t second = spec_.axes.size() > 1 ? spec_.axes[1].values.size() : 1;
  bool backwards = false;
  for (const std::size_t place : base::coarse_to_fine(spec_.axes[0].values.size(), second)) {
    for (std::size_t s = 0; s < series_.size(); ++s) {
      order_.push_back((backwards ? series_.size() - 1 - s : s) * places.size() + place);
    }
    backwards = !backwards;
  }
}

std::optional<std::size_t> Sweep::find(const spec::WorkloadSpec& spec) const {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].spec == spec &&
        (points_[i].status != PointStatus::failed || points_[i].measured)) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Sweep::next() {
  changed();
  if (running_) return std::nullopt;
  mark_beyond_edges();
  for (const std::size_t index : order_) {
    if (points_[index].wanted && points_[index].status == PointStatus::pending) return index;
  }
  for (const std::size_t index : order_) {
    SweepPoint& point = points_[index];
    if (point.status != PointStatus::pending) continue;
    // A point that hardly fits fails at once, whatever time it would take otherwise. The estimate
    // uses the fastest step: small points on a busy machine would predict far too long a time, and
    // a point that does take too long is ended by the clock.
    const double expected = expected_seconds(index, &run::TimingSummary::min_ms);
    if (hardly_fits(point) || expected <= spec_.max_point_s) return index;
    point.status = PointStatus::too_slow;
    point.reason = text::message(
        "sweep_reason.too_slow",
        {{"seconds", text::decimal(expected, 0)}, {"most", text::decimal(spec_.max_point_s, 0)}});
  }
  return std::nullopt;
}

bool Sweep::wanted() const {
  return std::any_of(points_.begin(), points_.end(), [](const SweepPoint& point) {
    return point.wanted && point.status == PointStatus::pending;
  });
}

void Sweep::start(std::size_t point) {
  changed();
  TS_CHECK(!running_ && points_.at(point).status == PointStatus::pending);
  points_[point].status = PointStatus::running;
  running_ = point;
}

void Sweep::give_back(std::size_t point) {
  changed();
  TS_CHECK(running_ == point);
  points_[point].status = PointStatus::pending;
  running_.reset();
}

void Sweep::finish(std::size_t index, const run::Run& run, bool took_too_long) {
  TS_CHECK(running_ == index);
  running_.reset();
  SweepPoint& point = points_[index];
  changed();
  point.measurement = measurement_of(run);
  point.measured = true;
  point.wanted = false;
  point.reason = run.failure;
  switch (run.verdict) {
    case run::Verdict::ok:
      point.status = PointStatus::ok;
      point.reason = {};
      break;
    case run::Verdict::oom:
      point.status = PointStatus::oom;
      break;
    case run::Verdict::failed:
      point.status = PointStatus::failed;
      break;
    case run::Verdict::cancelled:
      point.status = took_too_long ? PointStatus::too_slow : PointStatus::cancelled;
      if (took_too_long) {
        point.reason = text::message("sweep_reason.ended",
                                     {{"seconds", text::decimal(point.measurement.wall_s, 0)}});
      }
      break;
  }
  mark_beyond_edges();
}

void Sweep::restore(std::size_t index, PointStatus status, base::Message reason,
                    PointMeasurement known) {
  changed();
  SweepPoint& point = points_.at(index);
  point.status = status;
  point.reason = std::move(reason);
  point.measurement = std::move(known);
  point.measured = true;
}

void Sweep::predict(std::vector<std::pair<std::size_t, PointPrediction>> found) {
  changed();
  for (auto& [index, prediction] : found) points_.at(index).prediction = std::move(prediction);
  if (!running_) mark_beyond_edges();
}

void Sweep::cancel_rest() {
  changed();
  for (SweepPoint& point : points_) {
    if (point.status == PointStatus::pending) point.status = PointStatus::cancelled;
  }
}

void Sweep::resume() {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].status == PointStatus::cancelled) forget(i);
  }
}

void Sweep::rerun(std::size_t index) {
  forget(index);
  SweepPoint& point = points_[index];
  point.wanted = point.status == PointStatus::pending;
}

void Sweep::forget(std::size_t index) {
  SweepPoint& point = points_.at(index);
  if (running_ == index || !spec_at(spec_, series_[point.series], point.at)) return;
  changed();
  point.status = PointStatus::pending;
  point.measured = false;
  point.reason = {};
  point.measurement = {};
}

std::size_t Sweep::count(PointStatus status) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      points_, [status](const SweepPoint& point) { return point.status == status; }));
}

double Sweep::expected_seconds(std::size_t index) const {
  return expected_seconds(index, &run::TimingSummary::median_ms);
}

Sweep::Neighbour Sweep::nearest_measured(std::size_t index, std::size_t first,
                                         std::size_t last) const {
  Neighbour nearest;
  double least = 0;
  for (std::size_t i = first; i < last; ++i) {
    const SweepPoint& other = points_[i];
    if (i == index || other.status != PointStatus::ok) continue;
    if (!(other.measurement.step.median_ms > 0)) continue;
    const double log_growth = log_flops_[index] - log_flops_[i];
    if (nearest.point != nullptr && std::abs(log_growth) >= least) continue;
    nearest = {&other, std::exp(log_growth)};
    least = std::abs(log_growth);
  }
  return nearest;
}

Sweep::Neighbour Sweep::nearest_in_series(std::size_t index) const {
  const std::size_t length = points_.size() / series_.size();
  const std::size_t first = points_[index].series * length;
  return nearest_measured(index, first, first + length);
}

double Sweep::estimated_step_ms(std::size_t index) const {
  const SweepPoint& point = points_[index];
  const bool cannot_run = point.status == PointStatus::oom || point.status == PointStatus::failed;
  if (cannot_run || point.measurement.step.median_ms > 0) return -1;
  const Neighbour near = nearest_in_series(index);
  return near.point == nullptr ? -1 : near.point->measurement.step.median_ms * near.growth;
}

double Sweep::expected_seconds(std::size_t index, double run::TimingSummary::*step_ms) const {
  // The step time is scaled by the FLOPs; the rest of a run takes as long as at the neighbour.
  Neighbour near = nearest_in_series(index);
  if (near.point == nullptr) near = nearest_measured(index, 0, points_.size());
  if (near.point == nullptr) return -1;
  const PointMeasurement& known = near.point->measurement;
  const double steps_s = least_steps(spec_.protocol) * known.step.*step_ms * 1e-3;
  const double besides_s = std::max(0.0, known.wall_s - steps_s);
  return besides_s + steps_s * near.growth;
}

double Sweep::seconds_left() const {
  if (seconds_left_) return *seconds_left_;
  double sum = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].status != PointStatus::pending && running_ != i) continue;
    const double expected = expected_seconds(i);
    if (expected < 0) {
      sum = -1;
      break;
    }
    sum += std::min(expected, spec_.max_point_s);
  }
  seconds_left_ = sum;
  return sum;
}

}  // namespace ts::sweep
