#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/predict/predictor.h"
#include "core/spec/gpu_catalogue.h"

namespace ts::app {

// Keeps a prediction beside the settings: asks anew when they change, and hands out what is known.
// The prediction thread starts when the engine has been loaded. Main thread.
class Predictions {
 public:
  // Without a loader nothing is ever predicted.
  Predictions(predict::DryRunnerLoader loader, const spec::GpuCatalogue& gpus,
              base::StringTable& strings);

  // The settings as they are now; `engine` is null until it is loaded. Asks when they changed and
  // returns at once.
  void follow(const spec::WorkloadSpec& spec, const run::EngineInfo* engine);
  // Waits for the answer to what was asked in this frame, so that a drag and its outline are seen
  // together, at most until then; an answer that takes longer is shown when it comes, until then
  // the one before. Returns at once where nothing was asked since.
  void wait(std::chrono::steady_clock::time_point deadline);
  // The newest answer, null before the first. Valid until the next follow() or wait().
  [[nodiscard]] const predict::Outlook* outlook() const { return outlook_.get(); }
  // Begins the map of two sizes; the newest hunt replaces the one before. `here`: of the device
  // that the settings run on, else of their card; the request's target is set by it. False: nothing
  // can be predicted yet, or with these settings.
  bool hunt(predict::HuntRequest request, bool here);
  void cancel_hunt();
  // The newest hunt as far as it is, null before the first.
  [[nodiscard]] std::shared_ptr<const predict::HuntProgress> hunted() const;
  [[nodiscard]] bool hunt_busy() const;
  void finish_hunt(std::chrono::milliseconds patience);

  // More is on its way.
  [[nodiscard]] bool busy() const;
  // Waits until everything is known, for pictures.
  void finish(std::chrono::milliseconds patience);

 private:
  predict::DryRunnerLoader loader_;
  const spec::GpuCatalogue* gpus_;
  base::StringTable* strings_;
  std::shared_ptr<const predict::CudaScratch> scratch_;
  std::unique_ptr<predict::Predictor> predictor_;
  std::optional<spec::WorkloadSpec> asked_;
  bool awaited_ = false;  // asked, and not waited for yet
  std::shared_ptr<const predict::Outlook> outlook_;
};

}  // namespace ts::app
