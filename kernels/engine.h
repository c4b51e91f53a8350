#pragma once

#include <memory>

#include "core/run/engine.h"
#include "kernels/cuda/cuda_library.h"

namespace ts::kernels {

class TorchExecution;

// Implements run::Engine on LibTorch. The allocators are process-wide and hold one account, so
// there is one execution at a time: prepare() fails while an earlier one still lives. Where a
// driver is present the CUDA library is loaded first: LibTorch looks for it once, at its first
// call.
class TorchEngine final : public run::Engine {
 public:
  TorchEngine();
  ~TorchEngine() override;
  [[nodiscard]] const run::EngineInfo& info() const override { return info_; }
  run::Outcome<std::unique_ptr<run::Execution>> prepare(const run::WorkloadSpec& spec,
                                                        std::int64_t limit,
                                                        capture::Recorder* recorder,
                                                        const base::CancelToken& cancel) override;
  // The same with the type that tests look into.
  run::Outcome<std::unique_ptr<TorchExecution>> prepare_execution(const run::WorkloadSpec& spec,
                                                                  std::int64_t limit,
                                                                  capture::Recorder* recorder,
                                                                  const base::CancelToken& cancel);

 private:
  const CudaLibrary& cuda_;
  std::weak_ptr<void> last_execution_;
  run::EngineInfo info_;
};

}  // namespace ts::kernels
