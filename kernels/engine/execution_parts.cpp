// The parts of a step: forward, loss, backward, optimizer, and the owners of blocks afterwards.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/div.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "kernels/dry_run/meta_backward.h"
#include "kernels/engine/execution.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/module_scope.h"
#include "kernels/observe/owner.h"
#include "kernels/observe/phase_scope.h"
#include "kernels/observe/recording.h"
#include "kernels/ranks/data_parallel.h"
#include "kernels/ranks/exchange.h"
#include "kernels/ranks/rank_group.h"

namespace ts::kernels {

using base::Phase;
using memory::Category;

void TorchExecution::own(const at::Tensor& tensor, Category category, std::string_view name) {
  own_block(tensor, category, name);
}

std::vector<at::Tensor> TorchExecution::run_parts(run::StepTimes& times) {
  clear_gradients();
  std::vector<at::Tensor> losses;
  const std::int64_t micro_batches = spec::micro_batches(spec_);
  if (share_.pipeline > 1) {
    losses = run_stage();
  } else {
    run_micro_batches(micro_batches, losses, times);
  }
  if (training_ != nullptr) {
    const std::int64_t begin = base::now_ns();
    run_optimizer();
    times.optimizer_ns = base::now_ns() - begin;
  }
  return losses;
}

// A dry run goes through two: the second adds to gradients that are there, as all later ones do.
void TorchExecution::run_micro_batches(std::int64_t count, std::vector<at::Tensor>& losses,
                                       run::StepTimes& times) {
  DryRecording* const dry = DryRecording::current();
  const bool samples =
      dry != nullptr && dry->samples_micro_batches() && habit_ == spec::Habit::none && count > 2;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t begin = samples ? dry->size() : 0;
    losses.push_back(run_micro_batch(i, times));
    if (samples && i == 1 && dry->repeat_since(begin, count - 2)) return;
  }
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
  at::Tensor result = run_forward(index);
  if (habit_ == spec::Habit::kept_output) last_output_ = result;
  if (spec::has_backward(spec_.pass)) result = run_loss(std::move(result));
  std::int64_t end = base::now_ns();
  times.forward_ns += end - begin;
  if (habit_ == spec::Habit::kept_graph) kept_.push_back(result);
  if (!spec::has_backward(spec_.pass)) return {};
  begin = end;
  run_backward(result, index);
  end = base::now_ns();
  times.backward_ns += end - begin;
  return result;
}

void TorchExecution::clear_gradients() {
  if (habit_ == spec::Habit::no_zero_grad) return;
  if (spec_.zero_grad == spec::ZeroGrad::zero) {
    zero_gradients();
  } else {
    drop_gradients();
  }
}

void TorchExecution::drop_gradients() {
  const auto drop = [](const at::Tensor& tensor) {
    if (tensor.grad().defined()) tensor.mutable_grad().reset();
  };
  for (const Parameter& parameter : parameters()) drop(parameter.tensor);
  if (sharded_ != nullptr) {
    for (const FullyShard::Part& part : sharded_->parts()) drop(part.tensor);
  }
  for (const at::Tensor& input : inputs()) drop(input);
}

void TorchExecution::zero_gradients() {
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters()) {
    if (parameter.tensor.grad().defined()) parameter.tensor.mutable_grad().zero_();
  }
  // The gradient of an input is that of an earlier layer, which is new in every step. Attention
  // alone has no earlier layer: its inputs are leaves as parameters are.
  const bool leaves = spec_.workload == spec::WorkloadKind::attention;
  for (const at::Tensor& input : inputs()) {
    if (!input.grad().defined()) continue;
    if (leaves) {
      input.mutable_grad().zero_();
    } else {
      input.mutable_grad().reset();
    }
  }
}

void TorchExecution::make_parallel() {
  static const std::string path = "ddp";
  const ModuleScope module(path);
  parallel_ = std::make_unique<DataParallel>(*ranks_, parameters());
  own_buckets();
}

bool TorchExecution::exchanges(std::int64_t micro_batch) const {
  return ranks_->world().sync_every || micro_batch + 1 == spec::micro_batches(spec_);
}

void TorchExecution::begin_parallel_forward(std::int64_t micro_batch) {
  static const std::string path = "ddp";
  const ModuleScope module(path);
  if (parallel_->before_forward(exchanges(micro_batch))) own_buckets();
}

void TorchExecution::own_buckets() {
  for (const at::Tensor& bucket : parallel_->buckets()) own(bucket, Category::gradient);
}

at::Tensor TorchExecution::run_forward(std::int64_t micro_batch) {
  const bool keep_graph = spec::keeps_graph(spec_);
  const at::AutoGradMode grad_mode(keep_graph);
  const AutocastScope autocast(AutocastState::of(spec_, device_->torch_device().type()));
  const PhaseScope phase(Phase::forward, keep_graph);
  if (parallel_ != nullptr) begin_parallel_forward(micro_batch);
  const ModuleScope module(spec::to_string(spec_.workload));
  if (sharded_ != nullptr) sharded_->before_forward(FullyShard::kRoot);
  at::Tensor result = leave_unit(workload_->forward(), FullyShard::kRoot);
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
  const std::int64_t micro_batches = spec::micro_batches(spec_);
  if (micro_batches > 1) loss = at::div(loss, static_cast<double>(micro_batches));
  wait();
  return loss;
}

void TorchExecution::run_backward(const at::Tensor& loss, std::int64_t micro_batch) {
  const PhaseScope phase(Phase::backward);
  if (parallel_ != nullptr) parallel_->before_backward(exchanges(micro_batch));
  {
    const bool keep_graph = habit_ == spec::Habit::kept_graph;
    const at::Tensor root = training_ != nullptr ? training_->scaled(loss) : loss;
    if (DryRecording::current() != nullptr) {
      backward_of_meta(root, keep_graph);
    } else {
      root.backward({}, keep_graph);
    }
  }
  if (sharded_ != nullptr) sharded_->end_backward();
  wait();
  if (ranks_ != nullptr) ranks_->settle();
  if (parallel_ != nullptr) {
    for (const at::Tensor& kept : parallel_->kept()) own(kept, Category::optimizer_state);
  }
  own_gradients();
  note_gradient_types();
}

std::vector<at::Tensor> TorchExecution::run_stage() {
  const std::int64_t batches = spec::micro_batches(spec_);
  const std::int64_t ahead = predict::batches_in_flight(share_, batches);
  std::vector<at::Tensor> losses;
  std::vector<at::Tensor> outputs;
  const auto forward = [&] {
    const auto index = static_cast<std::int64_t>(outputs.size());
    workload_->select_micro_batch(index);
    at::Tensor result = run_forward(index);
    if (share_.last()) losses.push_back(result = run_loss(std::move(result)));
    outputs.push_back(std::move(result));
  };
  while (static_cast<std::int64_t>(outputs.size()) < ahead) forward();
  for (std::int64_t i = 0; i < batches; ++i) {
    workload_->select_micro_batch(i);
    const at::Tensor output = std::move(outputs[static_cast<std::size_t>(i)]);
    if (share_.last()) {
      run_backward(output, i);
    } else {
      run_backward(output, workload_->received_gradient());
    }
    if (static_cast<std::int64_t>(outputs.size()) < batches) forward();
  }
  return losses;
}

void TorchExecution::run_backward(const at::Tensor& output, const at::Tensor& gradient) {
  const PhaseScope phase(Phase::backward);
  backward_of_meta(output, gradient);
  own_gradients();
  note_gradient_types();
}

void TorchExecution::shard_parameters() {
  if (ranks_ != nullptr && parameters().empty())
    throw BadInput(text::message("data_parallel.no_parameters"));
  std::vector<FullyShard::Whole> whole;
  for (std::size_t i = 0; i < parameters().size(); ++i) {
    const at::Tensor part = ranks_ != nullptr ? builder_->parts()[i] : at::Tensor();
    whole.push_back({parameters()[i].name, parameters()[i].tensor, part});
  }
  const bool together = spec::checkpointing(spec_) == spec::Checkpoint::blocks;
  sharded_ = std::make_unique<FullyShard>(whole, share_, together ? spec_.checkpoint_every : 1,
                                          exchange_.get());
}

std::vector<TrainedTensor> TorchExecution::trained() const {
  std::vector<TrainedTensor> trained;
  if (sharded_ != nullptr) {
    for (const FullyShard::Part& part : sharded_->parts())
      trained.push_back({part.tensor, module_of(part.name)});
    return trained;
  }
  for (const auto& [name, tensor] : parameters()) {
    if (tensor.requires_grad()) trained.push_back({tensor, module_of(name)});
  }
  return trained;
}

void TorchExecution::make_training() {
  const std::vector<TrainedTensor> all = trained();
  Training::OfRank of;
  updated_by_.clear();
  if (share_.shard == predict::Shard::zero1) {
    std::vector<std::int64_t> sizes;
    for (const TrainedTensor& one : all) sizes.push_back(one.tensor.numel());
    const predict::Partitions dealt = predict::partitions(sizes, share_.ranks);
    const auto mine = share_.rank < 0 ? dealt.fullest : static_cast<std::size_t>(share_.rank);
    of.updated.emplace();
    for (const std::size_t i : dealt.of_ranks[mine]) of.updated->push_back(all[i]);
    for (const std::vector<std::size_t>& indices : dealt.of_ranks) {
      if (ranks_ == nullptr) break;
      updated_by_.emplace_back();
      for (const std::size_t i : indices) updated_by_.back().push_back(all[i].tensor.detach());
    }
  }
  if (sharded_ != nullptr && exchange_ != nullptr)
    of.sum = [this](const at::Tensor& number) { exchange_->sum(number); };
  training_ = std::make_unique<Training>(spec_, all, std::move(of));
}

void TorchExecution::own_gradients() {
  // The stage before has been sent these.
  if (!share_.first()) {
    for (const at::Tensor& input : inputs()) input.mutable_grad().reset();
  }
  for (const Parameter& parameter : parameters()) own(parameter.tensor.grad(), Category::gradient);
  for (const at::Tensor& input : inputs()) own(input.grad(), Category::gradient);
}

void TorchExecution::note_gradient_types() {
  static const std::string parameter_name = "parameters";
  static const std::string gradient_name = "gradients";
  if (parameters().empty()) return;
  note_dtype(parameter_name, parameters().front().tensor);
  if (sharded_ != nullptr) {
    note_dtype(gradient_name, sharded_->parts().front().tensor.grad());
    return;
  }
  const auto trained = std::ranges::find_if(
      parameters(), [](const Parameter& one) { return one.tensor.requires_grad(); });
  if (trained != parameters().end()) note_dtype(gradient_name, trained->tensor.grad());
}

void TorchExecution::run_optimizer() {
  const PhaseScope phase(Phase::optimizer);
  training_->step();
  if (!updated_by_.empty()) {
    static const std::string path = "zero1";
    const ModuleScope module(path);
    exchange_->broadcast(updated_by_);
  }
  wait();
  if (!owns_optimizer_state_ || training_->replaces_state()) own_optimizer_state();
  owns_optimizer_state_ = true;
}

void TorchExecution::own_optimizer_state() {
  for (const at::Tensor& tensor : training_->state()) own(tensor, Category::optimizer_state);
}

}  // namespace ts::kernels
