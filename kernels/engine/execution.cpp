#include "kernels/engine/execution.h"

#include "core/base/clock.h"
#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "kernels/compiled/compiled_workload.h"
#include "kernels/compiled/package_store.h"
#include "kernels/device/onednn_guard.h"
#include "kernels/device/threads.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/phase_scope.h"
#include "kernels/observe/recording.h"
#include "kernels/ranks/data_parallel.h"
#include "kernels/ranks/exchange.h"
#include "kernels/ranks/rank_group.h"

namespace ts::kernels {

using base::Phase;
using memory::Category;

TorchExecution::TorchExecution(const spec::WorkloadSpec& spec, std::unique_ptr<Device> device,
                               std::int64_t limit, base::CancelToken cancel, RankGroup* ranks,
                               const predict::Share& share)
    : spec_(spec),
      habit_(spec::habit(spec)),
      share_(ranks != nullptr ? predict::share_of(ranks->world()) : share),
      device_(std::move(device)),
      account_(*device_, limit),
      cancel_(std::move(cancel)),
      ranks_(ranks) {}

// The memory that the members free belongs to this execution's account.
TorchExecution::~TorchExecution() {
  try {
    account_.enter();
  } catch (const c10::Error&) {
    // Then the counters of the other account are wrong, but that device no longer responds anyway.
  }
}

run::Outcome<void> TorchExecution::build(capture::Recorder* recorder) {
  try {
    const CancelScope cancel(cancel_);
    const ThreadsScope threads(spec_);
    const DeviceRecording on_device(*device_, recorder);
    std::optional<Recording> recording;
    if (recorder != nullptr) {
      recording.emplace(*recorder, -1, device_->torch_device().type(), on_device.marks());
      strings_ = &recorder->strings();
      note_reserved();
    }
    make_workload();
    if (spec::captures_step(spec_) && device_->can_capture()) {
      std::optional<DtypeMap> types;
      if (recorder != nullptr) types.emplace();
      capture_step();
      note_what_ran(recording, types);
    }
    device_->synchronize();
  } catch (...) {
    return tl::unexpected(failure_of_device());
  }
  usable_ = true;
  return {};
}

void TorchExecution::make_workload() {
  const PhaseScope phase(Phase::setup);
  // A workload that sets the types itself starts from fp32.
  const bool typed = spec::field_applies(spec_, spec::Field::dtype);
  RowShare share;
  if (ranks_ != nullptr) share = {ranks_->facts().rank, ranks_->facts().size};
  builder_ = std::make_unique<Builder>(device_->torch_device(),
                                       scalar_type(typed ? spec_.dtype : spec::DataType::fp32),
                                       spec_.seed, share, share_);
  workload_ = kernels::make_workload(*builder_, spec_);
  if (spec::dropping(spec_).any() && !numbers_) {
    numbers_ = RandomState::seeded(device_->torch_device(),
                                   spec_.seed + static_cast<std::uint64_t>(share.rank));
  }
  if (ranks_ != nullptr && share_.shard != predict::Shard::none)
    exchange_ = std::make_unique<Exchange>(*ranks_);
  if (share_.shards_gradients()) shard_parameters();
  if (spec::compiles_step(spec_)) {
    const PackageRequest request = make_request(spec_, *builder_);
    const auto store = package_store();
    if (!store) throw BadInput(store.error());
    const std::filesystem::path folder = package_folder(*store, request);
    if (auto sound = check_package(folder); !sound) throw BadInput(sound.error());
    workload_ =
        make_compiled(std::move(workload_), *builder_, spec_, package_file(folder), request.key);
    compile_s_ = seconds_to_make(folder);
  }
  if (spec_.pass == spec::Pass::full_step) {
    make_training();
    own_optimizer_state();
  }
  if (sharded_ == nullptr) {
    for (const Parameter& parameter : parameters())
      own(parameter.tensor, Category::parameter, parameter.name);
  }
  for (const at::Tensor& input : inputs()) own(input, Category::input);
  if (ranks_ != nullptr && sharded_ == nullptr) make_parallel();
}

void TorchExecution::rebuild() {
  parallel_.reset();
  training_.reset();
  owns_optimizer_state_ = false;
  workload_.reset();
  builder_.reset();
  make_workload();
}

run::Outcome<run::StepTimes> TorchExecution::step(capture::Recorder* recorder,
                                                  std::int32_t step_number) {
  if (!usable_) {
    return tl::unexpected(run::Failure(text::message("engine.ended_before")));
  }
  try {
    account_.enter();
    const CancelScope cancel(cancel_);
    const ThreadsScope threads(spec_);
    const FullyShard::Scope sharding(sharded_.get());
    // Before the recording: this is not part of the step. Evicting the caches leaves the threads
    // awake; a step with hot caches begins with them awake, too.
    if (spec_.cache == spec::Cache::cold) device_->evict_caches();
    device_->gather_threads();
    const DeviceRecording on_device(*device_, recorder);
    std::optional<Recording> recording;
    if (recorder != nullptr) {
      recording.emplace(*recorder, step_number, device_->torch_device().type(), on_device.marks());
      strings_ = &recorder->strings();
      note_reserved();
    }
    std::optional<DtypeMap> types;
    if (recorder != nullptr) types.emplace();
    const OneDnnGuard onednn;
    std::optional<DrawsFrom> draws;
    if (numbers_) draws.emplace(device_->torch_device(), *numbers_);
    run::StepTimes times = run_step();
    if (ranks_ != nullptr) ranks_->settle();
    if (onednn.switched_off()) {
      if (auto refused = swallowed_refusal()) {
        usable_ = false;
        return tl::unexpected(std::move(*refused));
      }
    }
    stepped_ = true;
    if (!graph_) note_what_ran(recording, types);
    if (ranks_ != nullptr) {
      recording.reset();  // what follows is no part of the step
      times.loss = ranks_->mean(times.loss);
    }
    return times;
  } catch (...) {
    usable_ = false;
    return tl::unexpected(failure_of_device());
  }
}

// For a step whose operators ran.
void TorchExecution::note_what_ran(std::optional<Recording>& recording,
                                   std::optional<DtypeMap>& types) {
  if (types) types_ = types->take();
  if (recording && recording->attention() != AttentionKernel::none) {
    backend_ran_ = kernel_name(recording->attention());
  }
}

// Waits for the work that the calls of a part have started.
void TorchExecution::wait() {
  if (graph_ && graph_->capturing()) return;  // nothing runs
  if (habit_ == spec::Habit::no_sync) return;
  const std::int64_t begin = base::now_ns();
  device_->synchronize();
  waited_ns_ += base::now_ns() - begin;
}

// The failure of the error being handled. If the device keeps the error, all later work fails too.
run::Failure TorchExecution::failure_of_device() {
  run::Failure failure = current_failure();
  if (ranks_ != nullptr && failure.verdict == run::Verdict::failed) {
    // Why a collective failed says more than what the Reducer then found.
    try {
      ranks_->settle();
    } catch (const BadInput& lost) {
      return run::Failure(lost.message());
    }
  }
  if (failure.verdict != run::Verdict::failed || !device_->broken()) return failure;
  run::Failure broken(
      text::message("engine.broken_device", {text::argument("reason", std::move(failure))}));
  broken.restart = true;
  return broken;
}

void TorchExecution::note_reserved() {
  const std::int64_t reserved = device_->memory().reserved;
  if (reserved > 0) Recording::active()->memory(memory::Action::snapshot, nullptr, reserved);
}

std::shared_ptr<const allocator::Snapshot> TorchExecution::allocator_snapshot() {
  return strings_ != nullptr ? device_->snapshot(*strings_) : nullptr;
}

run::StepTimes TorchExecution::run_step() {
  run::StepTimes times;
  const StepScope step;
  // A process-wide switch: a dry run beside a real one must not change it.
  std::optional<Float32Scope> matmuls;
  if (device_->torch_device().is_cuda()) matmuls.emplace(spec_.dtype);
  device_->synchronize();
  waited_ns_ = 0;
  device_->begin_timing();
  times.begin_ns = base::now_ns();
  if (habit_ == spec::Habit::rebuild) rebuild();
  workload_->next_batch();
  if (spec_.pass == spec::Pass::generate) {
    generate(times);
    times.device_ns = device_->end_timing();
    times.gpu = device_->state();
    return times;
  }
  std::vector<at::Tensor> losses;
  if (graph_) {
    graph_->replay();
    wait();
    losses = captured_losses_;
  } else {
    losses = run_parts(times);
  }
  times.total_ns = base::now_ns() - times.begin_ns;
  times.waited_ns = waited_ns_;
  times.device_ns = device_->end_timing();
  times.gpu = device_->state();
  for (const at::Tensor& loss : losses) {
    if (loss.defined() && !loss.is_meta()) times.loss += loss.item<double>();
  }
  if (training_ != nullptr) training_->describe(times);
  return times;
}

// Its gradients and losses are kept: every replay writes into them.
void TorchExecution::capture_step() {
  std::optional<Float32Scope> matmuls;
  if (device_->torch_device().is_cuda()) matmuls.emplace(spec_.dtype);
  workload_->next_batch();
  graph_.emplace(*device_);
  try {
    graph_->capture(
        [this] {
          run::StepTimes ignored;
          captured_losses_ = run_parts(ignored);
        },
        [this] {
          captured_losses_.clear();
          if (drops_gradients()) drop_gradients();
        });
  } catch (...) {
    // The captured step is lost with the exception and must not be used.
    graph_.reset();
    throw;
  }
}

run::Outcome<void> TorchExecution::optimize_again() {
  if (training_ == nullptr) return {};
  try {
    const CancelScope cancel(cancel_);
    run_optimizer();
    run::StepTimes times;
    training_->describe(times);
  } catch (...) {
    usable_ = false;
    return tl::unexpected(current_failure());
  }
  return {};
}

std::vector<std::uint64_t> TorchExecution::gradient_addresses() const {
  std::vector<std::uint64_t> addresses;
  const auto add = [&](const at::Tensor& tensor) {
    if (!tensor.grad().defined() || tensor.grad().nbytes() == 0) return;
    addresses.push_back(block_number(tensor.grad().storage().data_ptr()));
  };
  for (const Parameter& parameter : parameters()) add(parameter.tensor);
  if (sharded_ != nullptr) {
    for (const FullyShard::Part& part : sharded_->parts()) add(part.tensor);
  }
  for (const at::Tensor& input : inputs()) add(input);
  return addresses;
}

run::Outcome<std::int64_t> TorchExecution::agree(std::int64_t mine) {
  if (ranks_ == nullptr) return mine;
  try {
    return ranks_->agree(mine);
  } catch (...) {
    usable_ = false;
    return tl::unexpected(failure_of_device());
  }
}

run::ExecutionFacts TorchExecution::facts() const {
  run::ExecutionFacts facts;
  if (ranks_ != nullptr) facts.rank = ranks_->facts();
  if (parallel_ != nullptr) {
    for (const at::Tensor& bucket : parallel_->buckets())
      facts.rank.buckets.push_back(static_cast<std::int64_t>(bucket.nbytes()));
    facts.rank.compression = parallel_->compression();
  }
  if (builder_ != nullptr) {
    for (const Parameter& parameter : parameters()) {
      facts.parameters += parameter.tensor.numel();
      if (parameter.tensor.requires_grad()) facts.trained += parameter.tensor.numel();
    }
  }
  facts.backend_ran = backend_ran_;
  facts.memory_limit = device_->memory().limit;
  facts.types = types_;
  if (workload_ != nullptr && stepped_) {
    Workload::Generated generated = workload_->generated();
    facts.generated = std::move(generated.tokens);
    facts.generated_text = std::move(generated.text);
    facts.results = workload_->results();
    facts.curves = workload_->curves();
    facts.compile_s = compile_s_;
  }
  return facts;
}

run::MemoryCounters TorchExecution::memory() const {
  return device_->memory();
}

}  // namespace ts::kernels
