#pragma once

#include "core/run/dry_run.h"

namespace ts::kernels {

// Implements run::DryRunner on LibTorch: an ordinary TorchExecution on the meta device, under a
// DryRecording.
class TorchDryRunner final : public run::DryRunner {
 public:
  TorchDryRunner();
  run::Outcome<run::DryRun> dry_run(const run::WorkloadSpec& spec,
                                    const run::DryRunOptions& options, base::StringTable& strings,
                                    const base::CancelToken& cancel) override;
};

}  // namespace ts::kernels
