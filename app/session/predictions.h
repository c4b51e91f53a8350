#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/predict/predictor.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// Keeps a prediction for the current settings: requests a new one when they change, and returns the
// newest. The prediction thread starts when the engine has been loaded. Main thread.
class Predictions {
 public:
  // Without a loader there are never predictions.
  Predictions(predict::DryRunnerLoader loader, const spec::GpuCatalogue& gpus,
              base::StringTable& strings);

  // Call with the current settings; `engine` is null until it is loaded. Requests a prediction when
  // they changed, and returns at once.
  void follow(const spec::WorkloadSpec& spec, const run::EngineInfo* engine);
  // Waits for the prediction requested in this frame, at most until `deadline`, so that a drag and
  // its outline are shown together. A later result is shown when it arrives; until then the one
  // before stays. Returns at once when nothing was requested since.
  void wait(std::chrono::steady_clock::time_point deadline);
  // The newest prediction, null before the first. Valid until the next follow() or wait().
  [[nodiscard]] const predict::Outlook* outlook() const { return outlook_.get(); }
  // Starts the map of two sizes; the newest hunt replaces the one before. `here`: for the device
  // that the settings run on, else for their card; it determines the request's target. False:
  // nothing can be predicted yet, or with these settings.
  bool hunt(predict::HuntRequest request, bool here);
  void cancel_hunt();
  // The newest hunt with its progress so far, null before the first.
  [[nodiscard]] std::shared_ptr<const predict::HuntProgress> hunted() const;
  [[nodiscard]] bool hunt_busy() const;
  void finish_hunt(std::chrono::milliseconds patience);

  // More results will arrive.
  [[nodiscard]] bool busy() const;
  // Waits until all results are known, for pictures.
  void finish(std::chrono::milliseconds patience);

 private:
  predict::DryRunnerLoader loader_;
  const spec::GpuCatalogue* gpus_;
  base::StringTable* strings_;
  std::shared_ptr<const predict::CudaScratch> scratch_;
  std::unique_ptr<predict::Predictor> predictor_;
  std::optional<spec::WorkloadSpec> asked_;
  bool awaited_ = false;  // requested, and not waited for yet
  std::shared_ptr<const predict::Outlook> outlook_;
};

}  // namespace ts::app
