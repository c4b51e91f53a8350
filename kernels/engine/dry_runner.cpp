#include "kernels/engine/dry_runner.h"

#include <malloc.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/run/protocol.h"
#include "core/spec/masking.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/dry_run/meta_autocast.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/dry_run/repeat_layers.h"
#include "kernels/engine/execution.h"
#include "kernels/engine/repeat_step.h"
#include "kernels/engine/start.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/torch_version.h"

namespace ts::kernels {
namespace {

// A device without memory: no synchronisation and no limit.
class MetaDevice final : public Device {
 public:
  [[nodiscard]] c10::Device torch_device() const override {
    return c10::Device(c10::DeviceType::Meta);
  }
  void synchronize() override {}
  void open_account(std::int64_t) override {}
  void enter_account() override {}
  void close_account() noexcept override {}
  [[nodiscard]] run::MemoryCounters memory() const override { return {}; }
};

tl::unexpected<run::Failure> cannot_run(base::Message why) {
  return tl::unexpected(run::Failure(std::move(why)));
}

// By default glibc returns every larger block to the system when it is freed, and a dry run
// allocates the same ones again: fresh pages took a tenth of its time. At most 32 MiB a thread are
// kept.
void keep_freed_pages() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}

// As many as a run records, so that both show the same growth.
constexpr std::int32_t kStepsThatGrow = run::Protocol().recorded_steps;

static_assert(exported::kKeptModules == kSampleLayers);

memory::AllocationLog log_of(std::vector<memory::Record>& records) {
  memory::AllocationLog log;
  log.reserve(static_cast<std::size_t>(
      std::ranges::count(records, memory::Action::alloc, &memory::Record::action)));
  std::int64_t time_ns = 0;
  for (memory::Record& record : records) {
    record.time_ns = time_ns += predict::DryRun::kEventSpacing;
    log.append(record);
  }
  return log;
}

// A second or two of decoding, token by token.
bool has_too_many_tokens(const spec::WorkloadSpec& spec) {
  constexpr std::int64_t kMostLayersTimesTokens = 25'000;
  return spec.pass == spec::Pass::generate &&
         spec.layers * spec.new_tokens > kMostLayersTimesTokens;
}

}  // namespace

// Layers repeat if the work and memory of a step are a sum over them: not if several are one
// checkpoint.
std::optional<TorchDryRunner::Repeated> TorchDryRunner::repeated_modules(
    const spec::WorkloadSpec& spec) {
  // Layers that earlier steps left behind are no part of this sum.
  if (spec::habit(spec) != spec::Habit::none) return std::nullopt;
  if (spec.pass == spec::Pass::generate) return std::nullopt;
  if (const auto model = spec::model_to_run(spec)) {
    if (model->sample() == nullptr) return std::nullopt;
    return Repeated{model->repetition().prefix, model->repetition().count};
  }
  const bool several =
      spec::checkpointing(spec) == spec::Checkpoint::blocks && spec.checkpoint_every != 1;
  const bool stack =
      spec.workload == spec::WorkloadKind::lm || spec.workload == spec::WorkloadKind::vit;
  // The first layer is by itself in any case.
  const spec::Experts experts = spec::experts(spec);
  const bool mixed = (experts.any() && (experts.dense_layers > 1 || experts.every > 1)) ||
                     spec::mixes_windows(spec);
  const bool alike = stack && !mixed && spec::frozen_layers(spec) == 0 && !several &&
                     spec.layers > kSampleLayers + 1;
  if (!alike) return std::nullopt;
  return Repeated{"blocks.", spec.layers};
}

run::Outcome<TorchDryRunner::Recorded> TorchDryRunner::record(const spec::WorkloadSpec& given,
                                                              const predict::DryRunOptions& options,
                                                              const std::optional<Repeated>& sample,
                                                              base::StringTable& strings,
                                                              const base::CancelToken& cancel) {
  Recorded made;
  records_.clear();
  DryRecording recording(strings, options, records_, cancel);
  DtypeMap types;
  if (repeat_ && options.share.whole()) recording.sample_micro_batches();
  spec::WorkloadSpec spec = given;
  if (sample) {
    spec.layers = kSampleLayers;
    recording.sample_modules();
  }
  try {
    TorchExecution execution(spec, std::make_unique<MetaDevice>(), 0, cancel, nullptr,
                             options.share);
    run::Outcome<void> done = execution.build(nullptr);
    DryRunSteps steps(execution, recording, records_, repeat_);
    for (std::int32_t step = 0; done && step < options.steps; ++step) done = steps.step(step);
    made.repeated_steps = options.steps > 1 && steps.repeats();
    recording.close();
    if (!done) return tl::unexpected(std::move(done.error()));
    for (const Parameter& parameter : execution.parameters()) {
      const std::int64_t numbers = parameter.tensor.numel();
      const std::int64_t trained = parameter.tensor.requires_grad() ? numbers : 0;
      made.parameters += numbers;
      made.trained += trained;
      if (sample && parameter.name.starts_with(sample->prefix + "2.")) {
        made.parameters_of_a_layer += numbers;
        made.trained_of_a_layer += trained;
      }
    }
  } catch (...) {
    recording.close();
    return tl::unexpected(current_failure());
  }
  made.types = types.take();
  made.backend = kernel_name(recording.attention());
  made.apart_bytes = recording.apart_bytes();
  for (const DryRecording::Unknown& one : recording.unknown())
    made.unknown_operators.push_back(one.op);
  return made;
}

TorchDryRunner::TorchDryRunner(bool repeat) : repeat_(repeat) {
  keep_freed_pages();
  start_libtorch();
  MetaAllocator::install();
  register_meta_kernels();
  register_meta_autocast();
}

run::Outcome<predict::DryRun> TorchDryRunner::dry_run(const spec::WorkloadSpec& spec,
                                                      const predict::DryRunOptions& options,
                                                      base::StringTable& strings,
                                                      const base::CancelToken& cancel) {
  try {
    return make(spec, options, strings, cancel);
  } catch (...) {
    return tl::unexpected(current_failure());
  }
}

run::Outcome<predict::DryRun> TorchDryRunner::make(const spec::WorkloadSpec& spec,
                                                   const predict::DryRunOptions& options,
                                                   base::StringTable& strings,
                                                   const base::CancelToken& cancel) {
  const std::int64_t begin_ns = base::now_ns();
  predict::DryRun result;
  result.spec = spec;
  predict::DryRunOptions wanted = options;
  if (spec::keeps_graphs(spec)) wanted.steps = std::max(options.steps, kStepsThatGrow);
  // Two that warm up and the one that is captured.
  if (spec::captures_step(spec)) wanted.steps = std::max(options.steps, 3);
  result.options = wanted;
  spec::WorkloadSpec on_device = spec;
  on_device.device = options.rules;
  if (const auto problems = spec::validate(on_device); !problems.empty()) {
    return cannot_run(problems.front());
  }
  if (const auto problem = predict::share_problem(spec, options.share)) return cannot_run(*problem);
  on_device.layers = predict::stage_layers(options.share, spec.layers);
  if (spec::compiles_step(spec)) {
    return cannot_run(text::message("prediction.not_compiled"));
  }
  if (has_too_many_tokens(spec)) {
    return cannot_run(text::message("prediction.many_tokens"));
  }
  const std::optional<Repeated> sample = repeat_ ? repeated_modules(on_device) : std::nullopt;
  repeated_ = false;
  run::Outcome<Recorded> made;
  if (sample) {
    made = record(on_device, wanted, sample, strings, cancel);
    if (!made) return tl::unexpected(std::move(made.error()));
    made->parameters += (sample->count - kSampleLayers) * made->parameters_of_a_layer;
    made->trained += (sample->count - kSampleLayers) * made->trained_of_a_layer;
    repeated_ = repeat_layers(records_, sample->prefix, sample->count, strings, repeated_records_);
  }
  if (!repeated_) {
    made = record(on_device, wanted, std::nullopt, strings, cancel);
    if (!made) return tl::unexpected(std::move(made.error()));
  }
  repeated_steps_ = made->repeated_steps;
  result.log = log_of(repeated_ ? repeated_records_ : records_);
  result.parameters = made->parameters;
  result.trained = made->trained;
  result.backend = std::move(made->backend);
  result.types = std::move(made->types);
  result.apart_bytes = made->apart_bytes;
  result.unknown_operators = std::move(made->unknown_operators);
  result.torch = torch_minor();
  result.duration_ns = base::now_ns() - begin_ns;
  return result;
}

}  // namespace ts::kernels
