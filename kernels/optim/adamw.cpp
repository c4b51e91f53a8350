#include "kernels/optim/adamw.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "kernels/observe/cancellation.h"

namespace ts::kernels {
namespace {

// Numbers updated by one operator: about 30 ms on two cores, one kernel launch on a GPU.
constexpr std::int64_t kGroupNumbers = std::int64_t{1} << 23;

}  // namespace

void AdamW::make_state() {
  if (parameters_.empty()) return;
  for (const at::Tensor& parameter : parameters_) {
    first_moments_.push_back(at::zeros_like(parameter));
    second_moments_.push_back(at::zeros_like(parameter));
  }
  steps_ = at::zeros({}, parameters_.front().options().dtype(at::kFloat));
}

void AdamW::step() {
  const at::NoGradGuard no_grad;
  if (first_moments_.empty()) make_state();
  if (parameters_.empty()) return;
  step_count_ += 1;
  steps_.fill_(step_count_);
  std::vector<at::Tensor> parameters, gradients, first, second, steps;
  std::int64_t numbers = 0;
  const auto update = [&] {
    if (parameters.empty()) return;
    check_cancelled();
    at::_fused_adamw_(parameters, gradients, first, second, {}, steps, settings_.learning_rate,
                      settings_.beta1, settings_.beta2, settings_.weight_decay, settings_.epsilon,
                      /*amsgrad=*/false, /*maximize=*/false);
    for (auto* list : {&parameters, &gradients, &first, &second, &steps}) list->clear();
    numbers = 0;
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor& gradient = parameters_[i].grad();
    if (!gradient.defined()) continue;
    if (numbers + parameters_[i].numel() > kGroupNumbers) update();
    parameters.push_back(parameters_[i]);
    gradients.push_back(gradient);
    first.push_back(first_moments_[i]);
    second.push_back(second_moments_[i]);
    steps.push_back(steps_);
    numbers += parameters_[i].numel();
  }
  update();
}

std::vector<at::Tensor> AdamW::state() const {
  std::vector<at::Tensor> state = first_moments_;
  state.insert(state.end(), second_moments_.begin(), second_moments_.end());
  if (steps_.defined()) state.push_back(steps_);
  return state;
}

}  // namespace ts::kernels
