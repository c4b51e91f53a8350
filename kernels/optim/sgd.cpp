#include <ATen/core/grad_mode.h>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/optimizer.h"
#include "kernels/optim/wide_update.h"

namespace ts::kernels {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(std::vector<TrainedTensor> trained, const OptimizerSettings& settings)
      : settings_(settings),
        buffers_(trained.size()),
        update_(std::move(trained), state_of(settings)) {}

  void step(double learning_rate, const at::Tensor& /*found_inf*/) override {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < update_.parameters().size(); ++i) {
      if (!update_.parameters()[i].grad().defined()) continue;
      check_cancelled();
      const PlaceScope place = update_.place(i);
      const WideUpdate::Part part = update_.whole(i);
      at::Tensor gradient = part.gradient;
      if (settings_.weight_decay != 0) {
        gradient = gradient.add(part.parameter, settings_.weight_decay);
      }
      if (settings_.momentum != 0) gradient = with_momentum(i, gradient);
      part.parameter.add_(gradient, -learning_rate);
      update_.put_back(i, part);
    }
  }

  [[nodiscard]] std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> state = update_.masters();
    for (const at::Tensor& buffer : buffers_) {
      if (buffer.defined()) state.push_back(buffer);
    }
    return state;
  }

 private:
  // Without momentum there are no moments to keep in fp32.
  static spec::OptimizerState state_of(const OptimizerSettings& settings) {
    const bool nothing = settings.momentum == 0 && settings.state == spec::OptimizerState::fp32;
    return nothing ? spec::OptimizerState::parameter : settings.state;
  }

  const at::Tensor& with_momentum(std::size_t i, const at::Tensor& gradient) {
    if (buffers_[i].defined()) {
      buffers_[i].mul_(settings_.momentum).add_(gradient);
    } else {
      buffers_[i] = gradient.clone();
    }
    return buffers_[i];
  }

  OptimizerSettings settings_;
  std::vector<at::Tensor> buffers_;
  WideUpdate update_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(std::vector<TrainedTensor> trained,
                                    const OptimizerSettings& settings) {
  return std::make_unique<Sgd>(std::move(trained), settings);
}

}  // namespace ts::kernels
