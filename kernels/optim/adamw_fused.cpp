#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/optimizer.h"

namespace ts::kernels {
namespace {

// Numbers updated by one operator: about 30 ms on two cores, one kernel launch on a GPU.
constexpr std::int64_t kGroupNumbers = std::int64_t{1} << 23;

class FusedAdamW final : public Optimizer {
 public:
  FusedAdamW(std::vector<at::Tensor> parameters, const OptimizerSettings& settings)
      : settings_(settings), parameters_(std::move(parameters)) {}

  void step(double learning_rate, const at::Tensor& found_inf) override {
    const at::NoGradGuard no_grad;
    if (parameters_.empty()) return;
    if (first_moments_.empty()) make_state();
    if (settings_.capturable && !found_inf.defined()) {
      steps_.add_(1);
    } else if (!found_inf.defined()) {
      steps_.fill_(static_cast<double>(++step_count_));
    } else {
      // A skipped step must not count, and only the device knows whether it was skipped.
      steps_.add_(1).sub_(found_inf.squeeze());
    }
    std::vector<at::Tensor> parameters, gradients, first, second, steps;
    std::int64_t numbers = 0;
    const auto update = [&] {
      if (parameters.empty()) return;
      check_cancelled();
      const auto skip = found_inf.defined() ? std::optional(found_inf) : std::nullopt;
      at::_fused_adamw_(parameters, gradients, first, second, {}, steps, learning_rate,
                        settings_.beta1, settings_.beta2, settings_.weight_decay, settings_.epsilon,
                        /*amsgrad=*/false, /*maximize=*/false,
                        /*grad_scale=*/std::nullopt, skip);
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

  [[nodiscard]] bool skips_itself() const override { return true; }

  [[nodiscard]] std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> state = first_moments_;
    state.insert(state.end(), second_moments_.begin(), second_moments_.end());
    if (steps_.defined()) state.push_back(steps_);
    return state;
  }

 private:
  void make_state() {
    for (const at::Tensor& parameter : parameters_) {
      first_moments_.push_back(at::zeros_like(parameter));
      second_moments_.push_back(at::zeros_like(parameter));
    }
    steps_ = at::zeros({}, parameters_.front().options().dtype(at::kFloat));
  }

  OptimizerSettings settings_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> first_moments_;
  std::vector<at::Tensor> second_moments_;
  at::Tensor steps_;
  std::int64_t step_count_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw_fused(std::vector<at::Tensor> parameters,
                                            const OptimizerSettings& settings) {
  return std::make_unique<FusedAdamW>(std::move(parameters), settings);
}

}  // namespace ts::kernels
