#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sqrt.h>

#include <cmath>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/moments.h"
#include "kernels/optim/optimizer.h"
#include "kernels/optim/wide_update.h"

namespace ts::kernels {
namespace {

// beta moment + (1 - beta) gradient, or its square, in Python's order: what a line has made on its
// way is let go of as soon as it was used.
at::Tensor next_moment(const at::Tensor& moment, double beta, const at::Tensor& gradient,
                       bool squared) {
  const at::Tensor kept = at::mul(moment, beta);
  const at::Tensor added = at::mul(squared ? at::pow(gradient, 2) : gradient, 1 - beta);
  return at::add(kept, added);
}

class OutOfPlaceAdamW final : public Optimizer {
 public:
  OutOfPlaceAdamW(std::vector<TrainedTensor> trained, const OptimizerSettings& settings)
      : settings_(settings), update_(std::move(trained), settings.state) {}

  void step(double learning_rate, const at::Tensor& /*found_inf*/) override {
    const at::NoGradGuard no_grad;
    moments_.make_once(update_);
    step_count_ += 1;
    for (std::size_t i = 0; i < update_.parameters().size(); ++i) update_one(i, learning_rate);
  }

  [[nodiscard]] bool replaces_state() const override { return true; }

  [[nodiscard]] std::vector<at::Tensor> state() const override { return moments_.state(update_); }

 private:
  // The old moments live until the new ones are kept, at the end.
  void update_one(std::size_t i, double learning_rate) {
    if (!update_.parameters()[i].grad().defined()) return;
    check_cancelled();
    const PlaceScope place = update_.place(i);
    const WideUpdate::Part part = update_.whole(i);
    const auto& [parameter, gradient] = part;
    at::Tensor first = next_moment(moments_.first[i], settings_.beta1, gradient, false);
    at::Tensor second = next_moment(moments_.second[i], settings_.beta2, gradient, true);
    const double rate = learning_rate * std::sqrt(1 - std::pow(settings_.beta2, step_count_)) /
                        (1 - std::pow(settings_.beta1, step_count_));
    subtract_quotient(parameter, at::mul(first, rate), second);
    parameter.sub_(at::mul(parameter, learning_rate * settings_.weight_decay));
    update_.put_back(i, part);
    moments_.first[i] = std::move(first);
    moments_.second[i] = std::move(second);
  }

  void subtract_quotient(const at::Tensor& parameter, const at::Tensor& numerator,
                         const at::Tensor& second) const {
    const at::Tensor denominator = at::add(at::sqrt(second), settings_.epsilon);
    parameter.sub_(at::div(numerator, denominator));
  }

  OptimizerSettings settings_;
  WideUpdate update_;
  Moments moments_;
  double step_count_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw_out_of_place(std::vector<TrainedTensor> trained,
                                                   const OptimizerSettings& settings) {
  return std::make_unique<OutOfPlaceAdamW>(std::move(trained), settings);
}

}  // namespace ts::kernels
