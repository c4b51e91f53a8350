#include "kernels/optim/schedule.h"

#include <cmath>
#include <numbers>

namespace ts::kernels {

double learning_rate_at(const spec::WorkloadSpec& spec, std::int64_t step) {
  if (spec.schedule == spec::Schedule::constant) return spec.learning_rate;
  const auto now = static_cast<double>(step);
  const auto warmup = static_cast<double>(spec.warmup_steps);
  const auto cycle = static_cast<double>(spec.cycle_steps);
  if (step < spec.warmup_steps) return spec.learning_rate * now / warmup;
  if (step > spec.cycle_steps) return spec.min_learning_rate;
  const double way = (now - warmup) / (cycle - warmup);
  return spec.min_learning_rate + 0.5 * (1 + std::cos(std::numbers::pi * way)) *
                                      (spec.learning_rate - spec.min_learning_rate);
}

}  // namespace ts::kernels
