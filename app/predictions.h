#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/run/gpu_catalogue.h"
#include "core/run/predictor.h"

namespace ts::app {

// Keeps a prediction beside the settings: asks anew when they change, and hands out what is known.
// The prediction thread starts when the engine has been loaded. Main thread.
class Predictions {
 public:
  // Without a loader nothing is ever predicted.
  Predictions(run::DryRunnerLoader loader, const run::GpuCatalogue& gpus,
              base::StringTable& strings);

  // The settings as they are now; `engine` is null until it is loaded. When they changed it waits a
  // moment for the answer, so that a drag and its outline are seen together; an answer that takes
  // longer is shown when it comes, until then the one before.
  void follow(const run::WorkloadSpec& spec, const run::EngineInfo* engine);
  // The newest answer, null before the first. Valid until the next follow().
  [[nodiscard]] const run::Outlook* outlook() const { return outlook_.get(); }
  // Begins the map of two sizes; the newest hunt replaces the one before. `here`: of the device
  // that the settings run on, else of their card; the request's target is set by it. False: nothing
  // can be predicted yet, or with these settings.
  bool hunt(run::HuntRequest request, bool here);
  void cancel_hunt();
  // The newest hunt as far as it is, null before the first.
  [[nodiscard]] std::shared_ptr<const run::HuntProgress> hunted() const;
  [[nodiscard]] bool hunt_busy() const;
  void finish_hunt(std::chrono::milliseconds patience);

  // More is on its way.
  [[nodiscard]] bool busy() const;
  // Waits until everything is known, for pictures.
  void finish(std::chrono::milliseconds patience);

 private:
  run::DryRunnerLoader loader_;
  const run::GpuCatalogue* gpus_;
  base::StringTable* strings_;
  std::shared_ptr<const run::CudaScratch> scratch_;
  std::unique_ptr<run::Predictor> predictor_;
  std::optional<run::WorkloadSpec> asked_;
  std::shared_ptr<const run::Outlook> outlook_;
};

}  // namespace ts::app
