#include "kernels/dry_run/dry_runner.h"

#include "core/base/clock.h"
#include "core/run/spec_fields.h"
#include "core/run/workload_math.h"
#include "kernels/dry_run/dry_recording.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/dry_run/repeat_layers.h"
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

// Whether what a step does and holds is a sum over layers. Not so where several layers are one
// checkpoint, or one operator goes over the parameters of all.
bool layers_are_alike(const run::WorkloadSpec& spec) {
  const bool whole_lists = spec.pass == run::Pass::full_step &&
                           (spec.optimizer == run::OptimizerKind::adamw_foreach || spec.clip > 0);
  return spec.workload == run::WorkloadKind::lm && !whole_lists && spec.accumulate == 1 &&
         run::checkpointing(spec) == run::Checkpoint::off;
}

// Tiles of one attention, at most.
double tile_count(const run::WorkloadSpec& spec) {
  const auto tiles = [](std::int64_t length, std::int64_t tile) {
    return static_cast<double>((length + tile - 1) / tile);
  };
  return tiles(spec.seq_len, spec.tile_q) * tiles(run::kv_length(spec), spec.tile_k);
}

// What tensors without data cannot tell, or not soon; empty when they can.
const char* not_predictable(const run::WorkloadSpec& spec) {
  if (run::compute_type(spec) != spec.dtype) {
    return "Autocast cannot be predicted: tensors without data have none. Predict dtype bf16 or "
           "fp32, or run it";
  }
  if (!run::field_applies(spec, run::Field::backend)) return "";
  const bool tiled = spec.backend == run::AttentionBackend::tiled;
  constexpr double kMostTiles = 20000;  // a second or two
  const auto layers =
      static_cast<double>(run::field_applies(spec, run::Field::layers) ? spec.layers : 1);
  if (tiled && layers * tile_count(spec) > kMostTiles) {
    return "A prediction would go through every tile, and these are too many: choose larger tiles, "
           "or run it";
  }
  const bool own = tiled || spec.backend == run::AttentionBackend::naive;
  if (!own && run::kv_head_count(spec) != spec.heads) {
    return "Grouped queries cannot be predicted for this backend, which kernel runs is decided "
           "with the data at hand: choose naive or tiled, or run it";
  }
  return "";
}

}  // namespace

run::Outcome<TorchDryRunner::Recorded> TorchDryRunner::record(const run::WorkloadSpec& spec,
                                                              const run::DryRunOptions& options,
                                                              base::StringTable& strings,
                                                              const base::CancelToken& cancel) {
  Recorded made;
  DryRecording recording(strings, options, made.records, cancel);
  try {
    TorchExecution execution(spec, std::make_unique<MetaDevice>(), 0, cancel);
    run::Outcome<void> done = execution.build(nullptr);
    for (std::int32_t step = 0; done && step < options.steps; ++step) {
      recording.begin_step(step);
      if (auto stepped = execution.step(nullptr, step); !stepped) {
        done = tl::unexpected(std::move(stepped.error()));
      }
    }
    recording.close();
    if (!done) return tl::unexpected(std::move(done.error()));
    for (const Parameter& parameter : execution.parameters()) {
      made.parameters += parameter.tensor.numel();
      if (parameter.name.starts_with("blocks.2.")) {
        made.parameters_of_a_layer += parameter.tensor.numel();
      }
    }
  } catch (...) {
    recording.close();
    return tl::unexpected(current_failure());
  }
  made.backend = kernel_name(recording.attention());
  return made;
}

TorchDryRunner::TorchDryRunner(bool repeat) : repeat_(repeat) {
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
  if (const std::string sentence = not_predictable(on_device); !sentence.empty()) {
    return cannot_run(sentence);
  }
  Recorded made;
  const bool may_repeat = repeat_ && layers_are_alike(spec) && spec.layers > kSampleLayers + 1;
  if (may_repeat) {
    run::WorkloadSpec sample = on_device;
    sample.layers = kSampleLayers;
    auto sampled = record(sample, options, strings, cancel);
    if (!sampled) return tl::unexpected(std::move(sampled.error()));
    made = std::move(*sampled);
    made.records = repeat_layers(made.records, spec.layers, strings);
    made.parameters += (spec.layers - kSampleLayers) * made.parameters_of_a_layer;
  }
  repeated_ = !made.records.empty();
  if (!repeated_) {
    auto recorded = record(on_device, options, strings, cancel);
    if (!recorded) return tl::unexpected(std::move(recorded.error()));
    made = std::move(*recorded);
  }
  std::int64_t time_ns = 0;
  for (memory::Record& noted : made.records) {
    noted.time_ns = time_ns += run::DryRun::kEventSpacing;
    result.log.append(noted);
  }
  result.parameters = made.parameters;
  result.backend = made.backend;
  result.duration_ns = base::now_ns() - begin_ns;
  return result;
}

}  // namespace ts::kernels
