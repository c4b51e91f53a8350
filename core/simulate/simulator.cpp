#include "core/simulate/simulator.h"

namespace ts::simulate {

Simulator::Simulator()
    : thread_({.work = [this](const Experiment& experiment,
                              const base::CancelToken& cancel) { work(experiment, cancel); },
               .begin = {},
               .end = {},
               .idle = {},
               .dropped = {}}) {}

std::shared_ptr<const Simulated> Simulator::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Simulator::work(const Experiment& experiment, const base::CancelToken& cancel) {
  Simulated known{.experiment = experiment, .points = {}};
  for (std::size_t i = 0; i < point_count(experiment) && !cancel.cancelled(); ++i) {
    known.points.push_back(run_point(experiment, i));
    auto copy = std::make_shared<const Simulated>(known);
    const std::lock_guard lock(mutex_);
    latest_ = std::move(copy);
  }
}

}  // namespace ts::simulate
