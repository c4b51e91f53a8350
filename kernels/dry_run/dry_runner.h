#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/dry_run.h"

namespace ts::kernels {

// Implements run::DryRunner on LibTorch: an ordinary TorchExecution on the meta device, under a
// DryRecording.
class TorchDryRunner final : public run::DryRunner {
 public:
  // repeat: a model of many layers is run with a few, and the rest follows (repeat_layers.h).
  explicit TorchDryRunner(bool repeat = true);
  run::Outcome<run::DryRun> dry_run(const run::WorkloadSpec& spec,
                                    const run::DryRunOptions& options, base::StringTable& strings,
                                    const base::CancelToken& cancel) override;

  // The last dry run was made from a few layers.
  [[nodiscard]] bool repeated() const noexcept { return repeated_; }

 private:
  struct Recorded {
    std::vector<memory::Record> records;  // without times
    std::int64_t parameters = 0;
    std::int64_t parameters_of_a_layer = 0;  // of layer 2
    std::string backend;
  };
  static run::Outcome<Recorded> record(const run::WorkloadSpec& spec,
                                       const run::DryRunOptions& options,
                                       base::StringTable& strings, const base::CancelToken& cancel);

  bool repeat_;
  bool repeated_ = false;
};

}  // namespace ts::kernels
