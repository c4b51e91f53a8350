#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/base/job_thread.h"
#include "core/base/latest.h"
#include "core/simulate/experiment.h"

namespace ts::simulate {

// An experiment and its points that are known.
struct Simulated {
  Experiment experiment;
  std::vector<Point> points;
};

// Runs experiments on a thread of its own: 16,384 ranks take up to a second a point. Public
// members may be called from any thread and return at once.
class Simulator {
 public:
  Simulator();
  // The newest request replaces the one in progress.
  void ask(Experiment experiment) { thread_.submit(std::move(experiment)); }
  [[nodiscard]] bool busy() const { return thread_.busy(); }
  // The newest state, with at least one point; null before the first.
  [[nodiscard]] std::shared_ptr<const Simulated> latest() const { return latest_.get(); }

 private:
  void work(const Experiment& experiment, const base::CancelToken& cancel);

  base::Latest<Simulated> latest_;
  base::JobThread<Experiment> thread_;  // last: it uses all above
};

}  // namespace ts::simulate
