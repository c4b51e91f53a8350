#include "kernels/execution.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/div.h>

#include <optional>

#include "core/base/clock.h"
#include "core/run/workload_math.h"
#include "kernels/dry_run/dry_recording.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/failure.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"
#include "kernels/observe/phase_scope.h"
#include "kernels/observe/recording.h"
#include "kernels/onednn_guard.h"
#include "kernels/threads.h"

namespace ts::kernels {
namespace {

using base::Phase;
using memory::Category;

void own(const at::Tensor& tensor, Category category, std::string_view name = {}) {
  if (!tensor.defined() || tensor.nbytes() == 0) return;
  if (DryRecording* const dry = DryRecording::current(); dry != nullptr) {
    dry->owner(MetaAllocator::address_of(tensor.storage().data_ptr()), category, name);
    return;
  }
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  recording->owner(tensor.storage().data(), category, name);
}

}  // namespace

TorchExecution::TorchExecution(const run::WorkloadSpec& spec, std::unique_ptr<Device> device,
                               std::int64_t limit, base::CancelToken cancel)
    : spec_(spec),
      entry_(find_workload(spec.workload)),
      device_(std::move(device)),
      account_(*device_, limit),
      cancel_(std::move(cancel)) {}

// What the members give back is this execution's.
TorchExecution::~TorchExecution() {
  try {
    account_.enter();
  } catch (const c10::Error&) {
    // Then the other account's counters are wrong, and that device answers nothing any more.
  }
}

run::Outcome<void> TorchExecution::build(capture::Recorder* recorder) {
  if (entry_ == nullptr) {
    run::Failure failure;
    failure.sentence = "This engine has no such workload";
    return tl::unexpected(std::move(failure));
  }
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
    device_->synchronize();
  } catch (...) {
    return tl::unexpected(failure_of_device());
  }
  usable_ = true;
  return {};
}

void TorchExecution::make_workload() {
  const PhaseScope phase(Phase::setup);
  builder_ =
      std::make_unique<Builder>(device_->torch_device(), scalar_type(spec_.dtype), spec_.seed);
  workload_ = entry_->make(*builder_, spec_);
  if (spec_.pass == run::Pass::full_step) {
    std::vector<at::Tensor> tensors;
    for (const Parameter& parameter : parameters()) tensors.push_back(parameter.tensor);
    training_ = std::make_unique<Training>(spec_, std::move(tensors));
    own_optimizer_state();
  }
  for (const Parameter& parameter : parameters())
    own(parameter.tensor, Category::parameter, parameter.name);
  for (const at::Tensor& input : inputs()) own(input, Category::input);
}

run::Outcome<run::StepTimes> TorchExecution::step(capture::Recorder* recorder,
                                                  std::int32_t step_number) {
  if (!usable_) {
    run::Failure failure;
    failure.sentence = "The execution ended with an earlier step";
    return tl::unexpected(std::move(failure));
  }
  try {
    account_.enter();
    const CancelScope cancel(cancel_);
    const ThreadsScope threads(spec_);
    // Before anything is recorded: they are no part of the step. Driving out the caches leaves the
    // threads awake; a step with hot caches begins with them awake, too.
    if (spec_.cache == run::Cache::cold) device_->evict_caches();
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
    const run::StepTimes times = run_step();
    if (onednn.switched_off()) {
      if (auto refused = swallowed_refusal()) {
        usable_ = false;
        return tl::unexpected(std::move(*refused));
      }
    }
    stepped_ = true;
    if (types) types_ = types->take();
    if (recording && recording->attention() != AttentionKernel::none) {
      backend_ran_ = kernel_name(recording->attention());
    }
    return times;
  } catch (...) {
    usable_ = false;
    return tl::unexpected(failure_of_device());
  }
}

// For what the calls of a part have started.
void TorchExecution::wait() {
  const std::int64_t begin = base::now_ns();
  device_->synchronize();
  waited_ns_ += base::now_ns() - begin;
}

// The error that is being handled. A device that keeps it says so with everything that follows.
run::Failure TorchExecution::failure_of_device() {
  run::Failure failure = current_failure();
  if (failure.verdict != run::Verdict::failed || !device_->broken()) return failure;
  failure.restart = true;
  failure.sentence +=
      ". The GPU answers nothing any more until the program is started again; what "
      "was recorded is kept";
  return failure;
}

void TorchExecution::note_reserved() {
  const std::int64_t reserved = device_->memory().reserved;
  if (reserved > 0) Recording::active()->memory(memory::Action::snapshot, nullptr, reserved);
}

std::shared_ptr<const memory::Snapshot> TorchExecution::allocator_snapshot() {
  return strings_ != nullptr ? device_->snapshot(*strings_) : nullptr;
}

run::StepTimes TorchExecution::run_step() {
  run::StepTimes times;
  const StepScope step;
  // A switch of the whole process: a dry run beside a real one must leave it alone.
  std::optional<Float32Scope> matmuls;
  if (device_->torch_device().is_cuda()) matmuls.emplace(spec_.dtype);
  device_->synchronize();
  waited_ns_ = 0;
  device_->begin_timing();
  times.begin_ns = base::now_ns();
  workload_->next_batch();
  if (spec_.pass == run::Pass::generate) {
    generate(times);
    times.device_ns = device_->end_timing();
    times.gpu = device_->state();
    return times;
  }
  if (spec_.zero_grad == run::ZeroGrad::zero) {
    zero_gradients();
  } else {
    drop_gradients();
  }
  std::vector<at::Tensor> losses;
  const std::int64_t micro_batches = run::micro_batches(spec_);
  for (std::int64_t i = 0; i < micro_batches; ++i) losses.push_back(run_micro_batch(i, times));
  std::int64_t last = base::now_ns();
  if (training_ != nullptr) {
    run_optimizer();
    times.optimizer_ns = base::now_ns() - last;
    last = base::now_ns();
  }
  times.total_ns = last - times.begin_ns;
  times.waited_ns = waited_ns_;
  times.device_ns = device_->end_timing();
  times.gpu = device_->state();
  for (const at::Tensor& loss : losses) {
    if (loss.defined() && !loss.is_meta()) times.loss += loss.item<double>();
  }
  if (training_ != nullptr) training_->describe(times);
  return times;
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
    addresses.push_back(MetaAllocator::address_of(tensor.grad().storage().data_ptr()));
  };
  for (const Parameter& parameter : parameters()) add(parameter.tensor);
  for (const at::Tensor& input : inputs()) add(input);
  return addresses;
}

void TorchExecution::generate(run::StepTimes& times) {
  const at::NoGradGuard no_grad;
  const AutocastScope autocast(AutocastState::of(spec_, device_->torch_device().type()));
  const PhaseScope phase(Phase::forward);
  std::int64_t begin = base::now_ns();
  {
    static const std::string path = "prefill";
    const ModuleScope module(path);
    workload_->prefill();
    wait();
  }
  std::int64_t end = base::now_ns();
  times.prefill_ns = end - begin;
  begin = end;
  {
    static const std::string path = "decode";
    const ModuleScope module(path);
    for (std::int64_t i = 1; i < spec_.new_tokens; ++i) workload_->decode(i);
    wait();
  }
  end = base::now_ns();
  times.decode_ns = spec_.new_tokens > 1 ? end - begin : 0;
  times.forward_ns = times.prefill_ns + times.decode_ns;
  times.total_ns = end - times.begin_ns;
  times.waited_ns = waited_ns_;
}

at::Tensor TorchExecution::run_micro_batch(std::int64_t index, run::StepTimes& times) {
  workload_->select_micro_batch(index);
  std::int64_t begin = base::now_ns();
  at::Tensor result = run_forward();
  if (run::has_backward(spec_.pass)) result = run_loss(std::move(result));
  std::int64_t end = base::now_ns();
  times.forward_ns += end - begin;
  if (!run::has_backward(spec_.pass)) return {};
  begin = end;
  run_backward(result);
  end = base::now_ns();
  times.backward_ns += end - begin;
  return result;
}

void TorchExecution::drop_gradients() {
  const auto drop = [](const at::Tensor& tensor) {
    if (tensor.grad().defined()) tensor.mutable_grad().reset();
  };
  for (const Parameter& parameter : parameters()) drop(parameter.tensor);
  for (const at::Tensor& input : inputs()) drop(input);
}

void TorchExecution::zero_gradients() {
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters()) {
    if (parameter.tensor.grad().defined()) parameter.tensor.mutable_grad().zero_();
  }
  // Inputs are not the optimizer's: their gradients are those of an earlier layer, which are new in
  // every step.
  for (const at::Tensor& input : inputs()) {
    if (input.grad().defined()) input.mutable_grad().reset();
  }
}

at::Tensor TorchExecution::run_forward() {
  const bool keep_graph = run::keeps_graph(spec_);
  const at::AutoGradMode grad_mode(keep_graph);
  const AutocastScope autocast(AutocastState::of(spec_, device_->torch_device().type()));
  const PhaseScope phase(Phase::forward, keep_graph);
  const ModuleScope module(entry_->name);
  at::Tensor result = workload_->forward();
  wait();
  return result;
}

at::Tensor TorchExecution::run_loss(at::Tensor output) {
  const AutocastScope autocast(AutocastState::of(spec_, device_->torch_device().type()));
  const PhaseScope phase(Phase::loss, /*graph_kept=*/true);
  static const std::string path = "loss";
  const ModuleScope module(path);
  at::Tensor loss = workload_->loss(std::move(output));
  note_dtype(path, loss);
  const std::int64_t micro_batches = run::micro_batches(spec_);
  if (micro_batches > 1) loss = at::div(loss, static_cast<double>(micro_batches));
  wait();
  return loss;
}

void TorchExecution::run_backward(const at::Tensor& loss) {
  const PhaseScope phase(Phase::backward);
  if (training_ != nullptr) {
    training_->scaled(loss).backward();
  } else {
    loss.backward();
  }
  wait();
  own_gradients();
  note_gradient_types();
}

void TorchExecution::own_gradients() {
  for (const Parameter& parameter : parameters()) own(parameter.tensor.grad(), Category::gradient);
  for (const at::Tensor& input : inputs()) own(input.grad(), Category::gradient);
}

void TorchExecution::note_gradient_types() {
  static const std::string parameter_name = "parameters";
  static const std::string gradient_name = "gradients";
  if (parameters().empty()) return;
  note_dtype(parameter_name, parameters().front().tensor);
  note_dtype(gradient_name, parameters().front().tensor.grad());
}

void TorchExecution::run_optimizer() {
  const PhaseScope phase(Phase::optimizer);
  training_->step();
  wait();
  if (!owns_optimizer_state_) own_optimizer_state();
  owns_optimizer_state_ = true;
}

void TorchExecution::own_optimizer_state() {
  for (const at::Tensor& tensor : training_->state()) own(tensor, Category::optimizer_state);
}

run::ExecutionFacts TorchExecution::facts() const {
  run::ExecutionFacts facts;
  if (builder_ != nullptr) {
    for (const Parameter& parameter : parameters()) facts.parameters += parameter.tensor.numel();
  }
  facts.backend_ran = backend_ran_;
  facts.memory_limit = device_->memory().limit;
  facts.types = types_;
  if (workload_ != nullptr && stepped_) {
    Workload::Generated generated = workload_->generated();
    facts.generated = std::move(generated.tokens);
    facts.generated_text = std::move(generated.text);
    facts.results = workload_->results();
  }
  return facts;
}

run::MemoryCounters TorchExecution::memory() const {
  return device_->memory();
}

}  // namespace ts::kernels
