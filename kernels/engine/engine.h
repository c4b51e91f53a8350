#pragma once

#include <memory>

#include "core/run/engine.h"
#include "kernels/cuda/cuda_library.h"
#include "kernels/device/device.h"

namespace ts::kernels {

class RankGroup;
class TorchExecution;

// Implements run::Engine on LibTorch. Several executions may live, one is active at a time: the
// allocators are process-wide and keep the account of that one (kernels/device/device.h). If a
// driver is present the CUDA library is loaded first: LibTorch looks for it once, at its first
// call.
class TorchEngine final : public run::Engine {
 public:
  TorchEngine();
  ~TorchEngine() override;
  [[nodiscard]] const run::EngineInfo& info() const override { return info_; }
  run::Outcome<void> compile(const spec::WorkloadSpec& spec, std::int64_t limit,
                             const base::CancelToken& cancel) override;
  run::Outcome<void> join(const run::World& world, const spec::WorkloadSpec& spec,
                          const base::CancelToken& cancel) override;
  run::Outcome<std::unique_ptr<run::Execution>> prepare(const spec::WorkloadSpec& spec,
                                                        std::int64_t limit,
                                                        capture::Recorder* recorder,
                                                        const base::CancelToken& cancel) override;
  run::Outcome<run::ValueErrors> compare_values(const spec::WorkloadSpec& spec, std::int64_t limit,
                                                const base::CancelToken& cancel) override;
  void use_instructions(const std::string& name) override;
  run::Outcome<run::Roof> measure_roof(const spec::WorkloadSpec& spec,
                                       const base::CancelToken& cancel) override;
  // The same with the type that tests inspect.
  run::Outcome<std::unique_ptr<TorchExecution>> prepare_execution(const spec::WorkloadSpec& spec,
                                                                  std::int64_t limit,
                                                                  capture::Recorder* recorder,
                                                                  const base::CancelToken& cancel);

  // For tests.
  [[nodiscard]] const CudaLibrary& cuda() const { return cuda_; }

 private:
  [[nodiscard]] run::Outcome<std::unique_ptr<Device>> device_of(
      const spec::WorkloadSpec& spec) const;

  const CudaLibrary& cuda_;
  run::EngineInfo info_;
  std::unique_ptr<RankGroup> ranks_;  // null: this process is alone
};

}  // namespace ts::kernels
