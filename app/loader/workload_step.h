#pragma once

#include <cstddef>
#include <memory>

#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/base/result.h"
#include "core/run/engine.h"
#include "core/spec/workload_spec.h"

namespace ts::app {

// Real steps of a workload for a loader: the engine draws its own batches and takes none of what
// was loaded, so that a step takes what it takes. One thread.
class WorkloadStep {
 public:
  // Prepares the workload and does one step, which warms it up. An error: no engine, or why it
  // cannot run.
  static base::Result<WorkloadStep> make(const spec::WorkloadSpec& spec);
  void run(std::size_t batch);
  // Why the last step did not end; empty: it did. No further step is done.
  [[nodiscard]] const base::Message& problem() const { return problem_; }

 private:
  std::unique_ptr<run::Engine> engine_;
  base::CancelToken cancel_;
  std::unique_ptr<run::Execution> execution_;  // goes before the engine
  base::Message problem_;
};

}  // namespace ts::app
