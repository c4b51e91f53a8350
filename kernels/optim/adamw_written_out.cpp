#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>

#include <cmath>
#include <utility>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/moments.h"
#include "kernels/optim/optimizer.h"
#include "kernels/optim/wide_update.h"

namespace ts::kernels {
namespace {

class WrittenOutAdamW final : public Optimizer {
 public:
  WrittenOutAdamW(std::vector<TrainedTensor> trained, const OptimizerSettings& settings,
                  bool foreach)
      : settings_(settings), foreach_(foreach), update_(std::move(trained), settings.state) {}

  void step(double learning_rate, const at::Tensor& /*found_inf*/) override {
    const at::NoGradGuard no_grad;
    moments_.make_once(update_);
    step_count_ += 1;
    if (foreach_) {
      update_all(learning_rate);
    } else {
      for (std::size_t i = 0; i < update_.parameters().size(); ++i) update_one(i, learning_rate);
    }
  }

  [[nodiscard]] std::vector<at::Tensor> state() const override { return moments_.state(update_); }

 private:
  [[nodiscard]] double step_size(double learning_rate) const {
    return learning_rate / (1 - std::pow(settings_.beta1, step_count_));
  }
  [[nodiscard]] double second_correction() const {
    return std::sqrt(1 - std::pow(settings_.beta2, step_count_));
  }

  void update_one(std::size_t i, double learning_rate) {
    if (!update_.parameters()[i].grad().defined()) return;
    check_cancelled();
    const PlaceScope place = update_.place(i);
    const WideUpdate::Part part = update_.whole(i);
    const auto& [parameter, gradient] = part;
    parameter.mul_(1 - learning_rate * settings_.weight_decay);
    moments_.first[i].lerp_(gradient, 1 - settings_.beta1);
    moments_.second[i].mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
    const at::Tensor denominator =
        moments_.second[i].sqrt().div_(second_correction()).add_(settings_.epsilon);
    parameter.addcdiv_(moments_.first[i], denominator, -step_size(learning_rate));
    update_.put_back(i, part);
  }

  void update_all(double learning_rate) {
    std::vector<at::Tensor> parameters, gradients, first, second;
    std::vector<std::pair<std::size_t, WideUpdate::Part>> parts;
    for (std::size_t i = 0; i < update_.parameters().size(); ++i) {
      if (!update_.parameters()[i].grad().defined()) continue;
      const PlaceScope place = update_.place(i);
      parts.emplace_back(i, update_.whole(i));
      parameters.push_back(parts.back().second.parameter);
      gradients.push_back(parts.back().second.gradient);
      first.push_back(moments_.first[i]);
      second.push_back(moments_.second[i]);
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
    for (const auto& [i, part] : parts) update_.put_back(i, part);
  }

  OptimizerSettings settings_;
  bool foreach_;
  WideUpdate update_;
  Moments moments_;
  double step_count_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw_written_out(std::vector<TrainedTensor> trained,
                                                  const OptimizerSettings& settings, bool foreach) {
  return std::make_unique<WrittenOutAdamW>(std::move(trained), settings, foreach);
}

}  // namespace ts::kernels
