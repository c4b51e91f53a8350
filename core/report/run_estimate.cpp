#include "core/report/run_estimate.h"

#include "core/run/progress_meter.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {

std::optional<RunEstimate> estimate_run(const spec::WorkloadSpec& spec,
                                        const run::Protocol& protocol, const run::Roof& roof) {
  const double flops = spec::step_flops(spec, spec.backend).total();
  if (!(flops > 0) || !(roof.tflops > 0) || spec::compiles_step(spec)) return std::nullopt;
  RunEstimate estimate{.tflops = roof.tflops, .step_s = flops / (roof.tflops * 1e12)};
  if (roof.gb_s > 0) estimate.step_s += spec::step_traffic(spec, spec.backend) / (roof.gb_s * 1e9);
  estimate.total_s = run::run_seconds(spec, protocol, estimate.step_s);
  return estimate;
}

base::Message time_text(const RunEstimate& estimate) {
  constexpr double kMinute = 60;
  if (estimate.total_s < 2 * kMinute)
    return text::message("estimate.seconds", {{"seconds", text::decimal(estimate.total_s, 0)}});
  return text::message("estimate.minutes",
                       {{"minutes", text::decimal(estimate.total_s / kMinute, 0)}});
}

base::Message estimate_text(const RunEstimate& estimate) {
  return text::message("estimate.sentence",
                       {text::argument("time", time_text(estimate)),
                        {"rate", text::rate(estimate.tflops * 1e12, "FLOP").joined()},
                        {"step", text::duration_ns(estimate.step_s * 1e9).joined()}});
}

}  // namespace ts::report
