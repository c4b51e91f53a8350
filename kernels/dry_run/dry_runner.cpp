#include "kernels/dry_run/dry_runner.h"

#include "core/base/clock.h"
#include "kernels/dry_run/dry_recording.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/execution.h"
#include "kernels/failure.h"
#include "kernels/start.h"

namespace ts::kernels {
namespace {

// A device without memory: nothing to wait for, nothing to limit.
class MetaDevice final : public Device {
 public:
  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::Meta);
  }
  void synchronize() override {}
  void open_account(std::int64_t) override {}
  void close_account() noexcept override {}
  [[nodiscard]] run::MemoryCounters memory() const override { return {}; }
};

tl::unexpected<run::Failure> cannot_run(const std::string& sentence) {
  run::Failure failure;
  failure.sentence = sentence;
  return tl::unexpected(std::move(failure));
}

}  // namespace

TorchDryRunner::TorchDryRunner() {
  start_libtorch();
  MetaAllocator::install();
  register_meta_kernels();
}

run::Outcome<run::DryRun> TorchDryRunner::dry_run(const run::WorkloadSpec& spec,
                                                  const run::DryRunOptions& options,
                                                  base::StringTable& strings,
                                                  const base::CancelToken& cancel) {
  const std::int64_t begin_ns = base::now_ns();
  run::DryRun result;
  result.spec = spec;
  result.options = options;
  run::WorkloadSpec on_device = spec;
  on_device.device = options.rules;
  if (const auto problems = run::validate(on_device); !problems.empty()) {
    return cannot_run(problems.front().sentence);
  }
  DryRecording recording(strings, options, result.log, cancel);
  try {
    TorchExecution execution(on_device, std::make_unique<MetaDevice>(), 0, cancel);
    run::Outcome<void> done = execution.build(nullptr);
    for (std::int32_t step = 0; done && step < options.steps; ++step) {
      recording.begin_step(step);
      if (auto stepped = execution.step(nullptr, step); !stepped) {
        done = tl::unexpected(std::move(stepped.error()));
      }
    }
    recording.close();
    if (!done) return tl::unexpected(std::move(done.error()));
    result.parameters = execution.facts().parameters;
  } catch (...) {
    recording.close();
    return tl::unexpected(current_failure());
  }
  result.backend = kernel_name(recording.attention());
  result.duration_ns = base::now_ns() - begin_ns;
  return result;
}

}  // namespace ts::kernels
