#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"

namespace ts::stepper {

// AdamW (Loshchilov and Hutter 2019, algorithm 2, as in torch.optim.AdamW) for one parameter p of
// the loss p^2 / 2, whose gradient is p, with noise if it is wanted. In fp64.
class AdamW {
 public:
  // Inputs steps, lr_millionths, beta1_thousandths, beta2_thousandths, decay_thousandths,
  // noise_percent, seed. p begins at 1.
  explicit AdamW(const calculate::Chosen& chosen);

  struct State {
    double g = 0;                 // gradient
    double m = 0, v = 0;          // moments
    double m_hat = 0, v_hat = 0;  // corrected for their beginning at 0
    double decay = 0;             // taken off by weight decay
    double update = 0;            // taken off by the moments
    double p = 1;                 // after the step
  };
  static constexpr double kEpsilon = 1e-8;

  [[nodiscard]] std::size_t steps() const { return states_.size(); }
  [[nodiscard]] const State& state(std::size_t step) const { return states_[step]; }
  [[nodiscard]] std::vector<double> row(std::size_t step) const;
  [[nodiscard]] base::Message said(std::size_t step) const;
  [[nodiscard]] std::vector<calculate::Figure> figures() const;

 private:
  double lr_;
  std::vector<State> states_;
};

}  // namespace ts::stepper
