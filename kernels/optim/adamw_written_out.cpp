#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/optimizer.h"

namespace ts::kernels {
namespace {

class WrittenOutAdamW final : public Optimizer {
 public:
  WrittenOutAdamW(std::vector<at::Tensor> parameters, const OptimizerSettings& settings,
                  bool foreach)
      : settings_(settings), foreach_(foreach), parameters_(std::move(parameters)) {}

  void step(double learning_rate, const at::Tensor& /*found_inf*/) override {
    const at::NoGradGuard no_grad;
    if (first_moments_.empty()) {
      for (const at::Tensor& parameter : parameters_) {
        first_moments_.push_back(at::zeros_like(parameter));
        second_moments_.push_back(at::zeros_like(parameter));
      }
    }
    step_count_ += 1;
    if (foreach_) {
      update_all(learning_rate);
    } else {
      for (std::size_t i = 0; i < parameters_.size(); ++i) update_one(i, learning_rate);
    }
  }

  [[nodiscard]] std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> state = first_moments_;
    state.insert(state.end(), second_moments_.begin(), second_moments_.end());
    return state;
  }

 private:
  [[nodiscard]] double step_size(double learning_rate) const {
    return learning_rate / (1 - std::pow(settings_.beta1, step_count_));
  }
  [[nodiscard]] double second_correction() const {
    return std::sqrt(1 - std::pow(settings_.beta2, step_count_));
  }

  void update_one(std::size_t i, double learning_rate) {
    const at::Tensor& parameter = parameters_[i];
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) return;
    check_cancelled();
    parameter.mul_(1 - learning_rate * settings_.weight_decay);
    first_moments_[i].lerp_(gradient, 1 - settings_.beta1);
    second_moments_[i].mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
    const at::Tensor denominator =
        second_moments_[i].sqrt().div_(second_correction()).add_(settings_.epsilon);
    parameter.addcdiv_(first_moments_[i], denominator, -step_size(learning_rate));
  }

  void update_all(double learning_rate) {
    std::vector<at::Tensor> parameters, gradients, first, second;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& gradient = parameters_[i].grad();
      if (!gradient.defined()) continue;
      parameters.push_back(parameters_[i]);
      gradients.push_back(gradient);
      first.push_back(first_moments_[i]);
      second.push_back(second_moments_[i]);
    }
    if (parameters.empty()) return;
    check_cancelled();
    at::_foreach_mul_(parameters, 1 - learning_rate * settings_.weight_decay);
    at::_foreach_lerp_(first, gradients, 1 - settings_.beta1);
    at::_foreach_mul_(second, settings_.beta2);
    at::_foreach_addcmul_(second, gradients, gradients, 1 - settings_.beta2);
    const std::vector<at::Tensor> denominators = at::_foreach_sqrt(second);
    at::_foreach_div_(denominators, second_correction());
    at::_foreach_add_(denominators, settings_.epsilon);
    at::_foreach_addcdiv_(parameters, first, denominators, -step_size(learning_rate));
  }

  OptimizerSettings settings_;
  bool foreach_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> first_moments_;
  std::vector<at::Tensor> second_moments_;
  double step_count_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw_written_out(std::vector<at::Tensor> parameters,
                                                  const OptimizerSettings& settings, bool foreach) {
  return std::make_unique<WrittenOutAdamW>(std::move(parameters), settings, foreach);
}

}  // namespace ts::kernels
