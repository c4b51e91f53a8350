#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ts::kernels {

// Loss scaling for fp16 (Micikevicius et al. 2018), with the rules of torch.amp.GradScaler: the
// scale halves and the step is skipped when a gradient is inf or nan, and doubles after
// `growth_interval` clean steps in a row. Everything stays on the device; nothing here waits for
// it. Worker thread.
class GradScaler {
 public:
  GradScaler(const at::TensorOptions& device, double initial_scale, std::int64_t growth_interval);

  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
  // Divides the gradients by the scale, in place, and checks whether all are finite.
  void unscale(const std::vector<at::Tensor>& gradients);
  // fp32, one element: not 0 when the last unscale() found something. On the device.
  [[nodiscard]] const at::Tensor& found_inf() const { return found_inf_; }
  // Changes the scale after a step.
  void update();
  [[nodiscard]] const at::Tensor& scale() const { return scale_; }
  // int32, one element, on the device: clean steps since the scale last changed.
  [[nodiscard]] const at::Tensor& clean_steps() const { return growth_; }
  [[nodiscard]] std::vector<at::Tensor> tensors() const { return {scale_, growth_, found_inf_}; }

 private:
  std::int64_t growth_interval_;
  at::Tensor scale_;
  at::Tensor growth_;
  at::Tensor found_inf_;
};

}  // namespace ts::kernels
