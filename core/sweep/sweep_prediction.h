#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/message.h"
#include "core/predict/prediction.h"
#include "core/report/roofs.h"
#include "core/spec/memory_limit.h"

namespace ts::sweep {

// The dry run's prediction for one point of a sweep. Bytes; negative if not known. Never mixed with
// measurements.
struct PointPrediction {
  // Counted as PointMeasurement::peak_allocated; for oom as if there were no limit.
  std::int64_t peak_allocated = -1;
  std::int64_t before_backward = -1;  // allocated when the last backward begins
  std::int64_t needed = -1;           // peak reserved, on cuda with the context
  predict::Fit fit = predict::Fit::fits;
  std::string target;          // "RTX 4090", "memory_limit"
  std::int64_t capacity = -1;  // bytes that its allocator can hold
  std::string op, module;      // oom: the allocation that would not fit
  std::int64_t bytes_asked = -1, bytes_free = -1;
  base::Message problem;  // why there is no prediction; empty when there is one
  report::Roofs roofs;    // of the card of the prediction
  [[nodiscard]] bool known() const { return peak_allocated >= 0; }
  [[nodiscard]] bool oom() const { return known() && fit == predict::Fit::oom; }
};

// The target of a point: the chosen card for cuda, with memory_limit as its memory if that is set;
// this machine under its limit for cpu.
predict::PredictionTarget target_of_point(const spec::WorkloadSpec& spec, const spec::Gpu& gpu,
                                          const spec::HostMemory& host);

// Makes one dry run. `strings` receives the names of the dry run; `scratch` may be null.
PointPrediction predict_point(predict::DryRunner& runner, const spec::WorkloadSpec& spec,
                              const predict::PredictionTarget& target, base::StringTable& strings,
                              const predict::CudaScratch* scratch, const base::CancelToken& cancel);

// Predicts the points of a sweep on a thread of its own, in the given order. Public members: one
// owner thread.
class SweepPredictor {
 public:
  struct Job {
    std::size_t point = 0;
    spec::WorkloadSpec spec;
    predict::PredictionTarget target;
  };
  // The loader is called on the thread. LibTorch must have been loaded before.
  SweepPredictor(predict::DryRunnerLoader loader, std::vector<Job> jobs,
                 std::shared_ptr<const predict::CudaScratch> scratch);
  ~SweepPredictor();  // cancels, waits for the thread
  SweepPredictor(const SweepPredictor&) = delete;
  SweepPredictor& operator=(const SweepPredictor&) = delete;

  // The results since the last call: point and prediction. A point that cannot be predicted comes
  // with its problem.
  std::vector<std::pair<std::size_t, PointPrediction>> take();
  // True if every job has been taken.
  [[nodiscard]] bool done() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::sweep
