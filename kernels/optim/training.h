#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/engine.h"
#include "core/spec/workload_spec.h"
#include "kernels/optim/grad_scaler.h"
#include "kernels/optim/optimizer.h"

namespace ts::kernels {

// The work of a full step on the gradients: scaling, clipping, schedule, update, in the order
// backward, unscale, clip, step, scale update; two habits change the place of the clipping. No
// number leaves the device within a step except whether the gradients are finite, which optimizers
// that cannot skip by themselves need (as in PyTorch). Worker thread.
class Training {
 public:
  // The part of it that one rank of several does.
  struct OfRank {
    // Those that it updates; no value: all.
    std::optional<std::vector<TrainedTensor>> updated = {};
    // Sums one number over the ranks, in place; empty: every rank has whole gradients.
    std::function<void(const at::Tensor&)> sum = {};
  };
  Training(const spec::WorkloadSpec& spec, const std::vector<TrainedTensor>& trained, OfRank of);

  // The loss from which the backward starts.
  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
  void step();
  // Optimizer state, made in the first step, and the scaler's, made at once.
  [[nodiscard]] std::vector<at::Tensor> state() const;
  // True if every step makes the optimizer's state anew.
  [[nodiscard]] bool replaces_state() const { return optimizer_->replaces_state(); }
  // Fills in the values of the last step, once. Waits for the device.
  void describe(run::StepTimes& times);

 private:
  [[nodiscard]] std::vector<at::Tensor> gradients() const;
  void clip(const std::vector<at::Tensor>& gradients);
  [[nodiscard]] bool must_skip() const;

  const spec::WorkloadSpec spec_;
  const OfRank of_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<GradScaler> scaler_;
  at::Tensor total_norm_;  // of the gradients before clipping
  at::Tensor used_scale_;
  double learning_rate_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace ts::kernels
