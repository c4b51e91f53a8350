#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/predict/dry_run.h"

namespace ts::kernels {

// Implements run::DryRunner on LibTorch: an ordinary TorchExecution on the meta device, under a
// DryRecording.
class TorchDryRunner final : public predict::DryRunner {
 public:
  // repeat: a model of many layers is run with a few, and the rest is derived (repeat_layers.h);
  // the steps after the first likewise (repeat_step.h).
  explicit TorchDryRunner(bool repeat = true);
  run::Outcome<predict::DryRun> dry_run(const spec::WorkloadSpec& spec,
                                        const predict::DryRunOptions& options,
                                        base::StringTable& strings,
                                        const base::CancelToken& cancel) override;

  // True if the last dry run was derived from a few layers.
  [[nodiscard]] bool repeated() const noexcept { return repeated_; }
  // True if its steps after the first were derived from the first.
  [[nodiscard]] bool repeated_steps() const noexcept { return repeated_steps_; }

 private:
  run::Outcome<predict::DryRun> make(const spec::WorkloadSpec& spec,
                                     const predict::DryRunOptions& options,
                                     base::StringTable& strings, const base::CancelToken& cancel);
  // The modules of which only a few are run.
  struct Repeated {
    std::string prefix;
    std::int64_t count = 0;
  };
  struct Recorded {
    std::int64_t parameters = 0;
    std::int64_t trained = 0;                // of the parameters
    std::int64_t parameters_of_a_layer = 0;  // of layer 2, of a sample
    std::int64_t trained_of_a_layer = 0;
    std::string backend;
    std::vector<run::NamedType> types;
    std::int64_t apart_bytes = 0;  // DryRun's, as the next
    std::vector<std::string> unknown_operators;
    bool repeated_steps = false;
  };
  // The modules that can be repeated; nothing where all must run.
  static std::optional<Repeated> repeated_modules(const spec::WorkloadSpec& spec);
  // Writes to records_. `sample`: of these modules only a few are run.
  run::Outcome<Recorded> record(const spec::WorkloadSpec& given,
                                const predict::DryRunOptions& options,
                                const std::optional<Repeated>& sample, base::StringTable& strings,
                                const base::CancelToken& cancel);

  // Kept from one dry run to the next: fresh pages would cost more than writing to them.
  std::vector<memory::Record> records_;           // of the run or its sample
  std::vector<memory::Record> repeated_records_;  // of all layers
  bool repeat_;
  bool repeated_ = false;
  bool repeated_steps_ = false;
};

}  // namespace ts::kernels
