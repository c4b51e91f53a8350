#include <ATen/core/grad_mode.h>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/optimizer.h"

namespace ts::kernels {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, const OptimizerSettings& settings)
      : settings_(settings), parameters_(std::move(parameters)), buffers_(parameters_.size()) {}

  void step(double learning_rate, const at::Tensor& /*found_inf*/) override {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      at::Tensor gradient = parameters_[i].grad();
      if (!gradient.defined()) continue;
      check_cancelled();
      if (settings_.weight_decay != 0) {
        gradient = gradient.add(parameters_[i], settings_.weight_decay);
      }
      if (settings_.momentum != 0) gradient = with_momentum(i, gradient);
      parameters_[i].add_(gradient, -learning_rate);
    }
  }

  [[nodiscard]] std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> state;
    for (const at::Tensor& buffer : buffers_) {
      if (buffer.defined()) state.push_back(buffer);
    }
    return state;
  }

 private:
  const at::Tensor& with_momentum(std::size_t i, const at::Tensor& gradient) {
    if (buffers_[i].defined()) {
      buffers_[i].mul_(settings_.momentum).add_(gradient);
    } else {
      buffers_[i] = gradient.clone();
    }
    return buffers_[i];
  }

  OptimizerSettings settings_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(std::vector<at::Tensor> parameters,
                                    const OptimizerSettings& settings) {
  return std::make_unique<Sgd>(std::move(parameters), settings);
}

}  // namespace ts::kernels
