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

// What a dry run says of one point of a sweep. Bytes; negative where it is not known. Never mixed
// with what was measured.
struct PointPrediction {
  // As PointMeasurement::peak_allocated counts them; for oom as if there were no limit.
  std::int64_t peak_allocated = -1;
  std::int64_t before_backward = -1;  // allocated when the last backward begins
  std::int64_t needed = -1;           // peak reserved, and on cuda the context
  predict::Fit fit = predict::Fit::fits;
  std::string target;          // "RTX 4090", "memory_limit"
  std::int64_t capacity = -1;  // what its allocator can hold
  std::string op, module;      // oom: the allocation that would not fit
  std::int64_t bytes_asked = -1, bytes_free = -1;
  base::Message problem;  // why there is no prediction; empty when there is one
  report::Roofs roofs;    // of the card that is predicted for
  [[nodiscard]] bool known() const { return peak_allocated >= 0; }
  [[nodiscard]] bool oom() const { return known() && fit == predict::Fit::oom; }
};

// Where a point would run: the chosen card for cuda, with memory_limit as its memory where that is
// set; this machine under its limit for cpu.
predict::PredictionTarget target_of_point(const spec::WorkloadSpec& spec, const spec::Gpu& gpu,
                                          const spec::HostMemory& host);

// One dry run. `strings` takes the names that the dry run makes; `scratch` may be null.
PointPrediction predict_point(predict::DryRunner& runner, const spec::WorkloadSpec& spec,
                              const predict::PredictionTarget& target, base::StringTable& strings,
                              const predict::CudaScratch* scratch, const base::CancelToken& cancel);

// Predicts the points of a sweep on a thread of its own, in the order they are given. Public
// members: one owner thread.
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

  // What has been found since the last time: point and prediction. A point that cannot be predicted
  // comes with its problem.
  std::vector<std::pair<std::size_t, PointPrediction>> take();
  // Every job has been taken.
  [[nodiscard]] bool done() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::sweep
