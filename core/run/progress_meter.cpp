#include "core/run/progress_meter.h"

#include <algorithm>

namespace ts::run {

namespace {

double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

// The whole stage. Steps that are longer than its time still make one.
double warmup_seconds(const Protocol& protocol, double step_s) {
  // Convergence compares 5 steps with the 5 before.
  constexpr double kStepsToConverge = 10;
  const double rule =
      std::min(std::max(protocol.min_warmup_s, kStepsToConverge * step_s), protocol.max_warmup_s);
  return std::max(rule, step_s);
}

double timing_seconds(const Protocol& protocol, double step_s) {
  double sample_s = step_s;
  if (protocol.probe_every > 0) sample_s *= 1 + 1.0 / std::max(protocol.probe_every - 1, 1);
  const double least = std::min(protocol.min_samples * sample_s, protocol.hard_budget_s);
  const double most = std::min(protocol.max_samples * sample_s, protocol.budget_s);
  return std::max({least, most, step_s});
}

}  // namespace

double run_seconds(const spec::WorkloadSpec& spec, const Protocol& protocol, double step_s) {
  const double recorded = protocol.recorded_steps * step_s;
  if (const auto warmups = fixed_warmups(spec)) {
    Protocol unprobed = protocol;
    unprobed.probe_every = 0;
    return recorded + *warmups * step_s + timing_seconds(unprobed, step_s);
  }
  // A recorded step ends the warm-up, so that the first one in the timing is not slower.
  const double probe = protocol.probe_every > 0 ? step_s : 0;
  return recorded + warmup_seconds(protocol, step_s) + probe + timing_seconds(protocol, step_s);
}

void ProgressMeter::enter(Stage stage, std::int64_t now_ns) {
  stage_ = stage;
  timed_ = timed_ || stage == Stage::timing;
  stage_begin_ns_ = now_ns;
  last_step_ns_ = now_ns;
  stage_steps_ = 0;
}

void ProgressMeter::step_done(std::int64_t now_ns) {
  // Smoothed, so that one slow step does not make the remaining time jump; restarted for each
  // stage, whose steps are of another kind.
  constexpr double kWeightOfLatest = 0.3;
  const double latest = seconds(now_ns - last_step_ns_);
  step_s_ = stage_steps_ == 0 ? latest : step_s_ + kWeightOfLatest * (latest - step_s_);
  last_step_ns_ = now_ns;
  ++stage_steps_;
}

ProgressMeter::Reading ProgressMeter::read(std::int64_t now_ns) {
  if (step_s_ < 0) return {fraction_, -1};
  const double in_stage = seconds(now_ns - stage_begin_ns_);
  double left = 0;
  switch (stage_) {
    case Stage::recording:
      left = std::max(0, protocol_->recorded_steps - stage_steps_) * step_s_;
      if (!timed_)
        left += warmup_seconds(*protocol_, step_s_) + timing_seconds(*protocol_, step_s_);
      break;
    case Stage::warmup:
      left = std::max(0.0, warmup_seconds(*protocol_, step_s_) - in_stage) +
             timing_seconds(*protocol_, step_s_);
      break;
    case Stage::timing:
      left = std::max(0.0, timing_seconds(*protocol_, step_s_) - in_stage);
      break;
    default:
      return {fraction_, -1};
  }
  const double elapsed = seconds(now_ns - begin_ns_);
  const double whole = elapsed + left;
  const auto fraction = whole > 0 ? static_cast<float>(elapsed / whole) : 0.0F;
  fraction_ = std::clamp(fraction, fraction_, 1.0F);
  return {fraction_, left};
}

}  // namespace ts::run
