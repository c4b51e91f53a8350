#include "core/simulate/simulator.h"

namespace ts::simulate {

Simulator::Simulator()
    : thread_({.work = [this](const Experiment& experiment, const base::CancelToken& cancel) {
        work(experiment, cancel);
      }}) {}

void Simulator::work(const Experiment& experiment, const base::CancelToken& cancel) {
  Simulated known{.experiment = experiment, .points = {}};
  for (std::size_t i = 0; i < point_count(experiment) && !cancel.cancelled(); ++i) {
    known.points.push_back(run_point(experiment, i));
    latest_.publish(known);
  }
}

}  // namespace ts::simulate
