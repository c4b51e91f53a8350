#include "kernels/execution.h"

#include <ATen/core/grad_mode.h>

#include <optional>

#include "core/base/clock.h"
#include "kernels/dry_run/dry_recording.h"
#include "kernels/dry_run/meta_allocator.h"
#include "kernels/failure.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/module_scope.h"
#include "kernels/observe/phase_scope.h"
#include "kernels/observe/recording.h"

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
  recording->owner(tensor.storage().data(), category);
}

at::ScalarType scalar_type(run::DataType dtype) {
  return dtype == run::DataType::bf16 ? at::kBFloat16 : at::kFloat;
}

}  // namespace

TorchExecution::TorchExecution(const run::WorkloadSpec& spec, std::unique_ptr<Device> device,
                               std::int64_t limit, base::CancelToken cancel)
    : spec_(spec),
      entry_(find_workload(spec.workload)),
      device_(std::move(device)),
      account_(*device_, limit),
      cancel_(std::move(cancel)) {}

TorchExecution::~TorchExecution() = default;

run::Outcome<void> TorchExecution::build(capture::Recorder* recorder) {
  if (entry_ == nullptr) {
    run::Failure failure;
    failure.sentence = "This engine has no such workload";
    return tl::unexpected(std::move(failure));
  }
  try {
    const CancelScope cancel(cancel_);
    std::optional<Recording> recording;
    if (recorder != nullptr) recording.emplace(*recorder, -1, device_->torch_device().type());
    make_workload();
    device_->synchronize();
  } catch (...) {
    return tl::unexpected(current_failure());
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
    optimizer_ = std::make_unique<AdamW>(std::move(tensors), AdamW::Settings{});
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
    const CancelScope cancel(cancel_);
    std::optional<Recording> recording;
    if (recorder != nullptr) {
      recording.emplace(*recorder, step_number, device_->torch_device().type());
    }
    const run::StepTimes times = run_step();
    if (recording && recording->attention() != AttentionKernel::none) {
      backend_ran_ = kernel_name(recording->attention());
    }
    return times;
  } catch (...) {
    usable_ = false;
    return tl::unexpected(current_failure());
  }
}

run::StepTimes TorchExecution::run_step() {
  run::StepTimes times;
  const StepScope step;
  device_->synchronize();
  times.begin_ns = base::now_ns();
  drop_gradients();
  const std::int64_t forward_begin = base::now_ns();
  at::Tensor result = run_forward();
  std::int64_t last = base::now_ns();
  times.forward_ns = last - forward_begin;
  if (spec_.pass != run::Pass::forward) {
    run_backward(result);
    times.backward_ns = base::now_ns() - last;
    last = base::now_ns();
  }
  if (optimizer_ != nullptr) {
    run_optimizer();
    times.optimizer_ns = base::now_ns() - last;
    last = base::now_ns();
  }
  times.total_ns = last - times.begin_ns;
  if (spec_.pass != run::Pass::forward) times.loss = result.item<double>();
  return times;
}

void TorchExecution::drop_gradients() {
  const auto drop = [](const at::Tensor& tensor) {
    if (tensor.grad().defined()) tensor.mutable_grad().reset();
  };
  for (const Parameter& parameter : parameters()) drop(parameter.tensor);
  for (const at::Tensor& input : inputs()) drop(input);
}

// The loss, or the output of a pass without a backward.
at::Tensor TorchExecution::run_forward() {
  const bool keep_graph = spec_.pass != run::Pass::forward;
  const at::AutoGradMode grad_mode(keep_graph);
  at::Tensor result;
  {
    const PhaseScope phase(Phase::forward, keep_graph);
    const ModuleScope module(entry_->name);
    result = workload_->forward();
    device_->synchronize();
  }
  if (keep_graph) {
    const PhaseScope phase(Phase::loss, keep_graph);
    static const std::string path = "loss";
    const ModuleScope module(path);
    result = workload_->loss(std::move(result));
    device_->synchronize();
  }
  return result;
}

void TorchExecution::run_backward(const at::Tensor& loss) {
  const PhaseScope phase(Phase::backward);
  loss.backward();
  device_->synchronize();
  own_gradients();
}

void TorchExecution::own_gradients() {
  for (const Parameter& parameter : parameters()) own(parameter.tensor.grad(), Category::gradient);
  for (const at::Tensor& input : inputs()) own(input.grad(), Category::gradient);
}

void TorchExecution::run_optimizer() {
  const PhaseScope phase(Phase::optimizer);
  const bool first = optimizer_->state().empty();
  optimizer_->step();
  device_->synchronize();
  if (first) {
    for (const at::Tensor& tensor : optimizer_->state()) own(tensor, Category::optimizer_state);
  }
}

run::ExecutionFacts TorchExecution::facts() const {
  run::ExecutionFacts facts;
  if (builder_ != nullptr) {
    for (const Parameter& parameter : parameters()) facts.parameters += parameter.tensor.numel();
  }
  facts.backend_ran = backend_ran_;
  facts.memory_limit = device_->memory().limit;
  return facts;
}

run::MemoryCounters TorchExecution::memory() const {
  return device_->memory();
}

}  // namespace ts::kernels
