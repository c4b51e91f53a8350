#include "kernels/optim/training.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/add.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

#include <utility>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "kernels/optim/schedule.h"

namespace ts::kernels {
namespace {

OptimizerSettings settings_of(const spec::WorkloadSpec& spec) {
  OptimizerSettings settings;
  settings.weight_decay = spec.weight_decay;
  settings.momentum = spec.momentum;
  settings.capturable = spec::captures_step(spec);
  settings.state = spec::optimizer_state(spec);
  return settings;
}

}  // namespace

Training::Training(const spec::WorkloadSpec& spec, const std::vector<TrainedTensor>& trained,
                   OfRank of)
    : spec_(spec),
      of_(std::move(of)),
      optimizer_(make_optimizer(spec.optimizer, of_.updated.value_or(trained), settings_of(spec))) {
  for (const TrainedTensor& one : trained) parameters_.push_back(one.tensor);
  if (spec::scales_loss(spec) && !parameters_.empty()) {
    scaler_.emplace(at::TensorOptions().device(parameters_.front().device()),
                    static_cast<double>(spec.init_scale), spec.growth_interval);
  }
}

at::Tensor Training::scaled(const at::Tensor& loss) const {
  return scaler_ ? scaler_->scaled(loss) : loss;
}

std::vector<at::Tensor> Training::gradients() const {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters_) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

void Training::step() {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> all = gradients();
  if (all.empty()) return;
  const spec::Habit habit = spec::habit(spec_);
  const bool clips = spec::clips(spec_);
  if (clips && habit == spec::Habit::clip_scaled) clip(all);
  if (scaler_) {
    used_scale_ = scaler_->scale().clone();
    scaler_->unscale(all);
    if (of_.sum) of_.sum(scaler_->found_inf());
  }
  const bool in_order = habit != spec::Habit::clip_scaled && habit != spec::Habit::clip_after_step;
  if (clips && in_order) clip(all);
  learning_rate_ = learning_rate_at(spec_, steps_++);
  const bool updates = !of_.updated || !of_.updated->empty();
  if (updates && !must_skip()) {
    const bool skips = scaler_ && optimizer_->skips_itself();
    optimizer_->step(learning_rate_, skips ? scaler_->found_inf() : at::Tensor());
  }
  if (clips && habit == spec::Habit::clip_after_step) clip(all);
  if (scaler_) scaler_->update();
}

// As torch.nn.utils.clip_grad_norm_: g *= min(1, clip / (norm + 1e-6)), without reading the norm on
// the host.
void Training::clip(const std::vector<at::Tensor>& gradients) {
  constexpr double kSmall = 1e-6;
  total_norm_ = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients)));
  if (of_.sum) {
    total_norm_.mul_(total_norm_);
    of_.sum(total_norm_);
    total_norm_.sqrt_();
  }
  const at::Tensor factor = at::add(total_norm_, kSmall).reciprocal_().mul_(spec_.clip);
  at::_foreach_mul_(gradients, factor.clamp_max_(1));
}

bool Training::must_skip() const {
  if (!scaler_ || optimizer_->skips_itself()) return false;
  // Without data there is no value to read.
  return !scaler_->found_inf().is_meta() && scaler_->found_inf().item<float>() != 0;
}

std::vector<at::Tensor> Training::state() const {
  std::vector<at::Tensor> state = optimizer_->state();
  if (scaler_) {
    for (at::Tensor& tensor : scaler_->tensors()) state.push_back(std::move(tensor));
  }
  return state;
}

void Training::describe(run::StepTimes& times) {
  times.learning_rate = learning_rate_;
  const at::Tensor norm = total_norm_;
  const at::Tensor scale = used_scale_;
  // A replay writes into the norm and the scale of the captured step.
  if (!spec::captures_step(spec_)) {
    total_norm_.reset();
    used_scale_.reset();
  }
  if (norm.defined() && !norm.is_meta()) times.gradient_norm = norm.item<double>();
  if (scale.defined() && !scale.is_meta()) {
    times.loss_scale = scale.item<double>();
    times.clean_steps = scaler_->clean_steps().item<std::int32_t>();
    times.skipped = scaler_->found_inf().item<float>() != 0;
  }
}

}  // namespace ts::kernels
