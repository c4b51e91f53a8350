#include "core/stepper/adamw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/stepper/seeded.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::stepper {

AdamW::AdamW(const calculate::Chosen& chosen) : lr_(chosen.real("lr_millionths") / 1e6) {
  const double beta1 = chosen.real("beta1_thousandths") / 1000;
  const double beta2 = chosen.real("beta2_thousandths") / 1000;
  const double decay = chosen.real("decay_thousandths") / 1000;
  const double noise = chosen.real("noise_percent") / 100;
  const auto steps = static_cast<std::size_t>(chosen.number("steps"));
  states_.emplace_back();
  double power1 = 1, power2 = 1;
  for (std::size_t t = 1; t <= steps; ++t) {
    State next = states_.back();
    next.g = next.p + noise * double{seeded_number(chosen.number("seed"), 5, t)};
    next.m = beta1 * next.m + (1 - beta1) * next.g;
    next.v = beta2 * next.v + (1 - beta2) * next.g * next.g;
    power1 *= beta1;
    power2 *= beta2;
    next.m_hat = next.m / (1 - power1);
    next.v_hat = next.v / (1 - power2);
    next.decay = lr_ * decay * next.p;
    next.update = lr_ * next.m_hat / (std::sqrt(next.v_hat) + kEpsilon);
    next.p -= next.decay + next.update;
    states_.push_back(next);
  }
}

std::vector<double> AdamW::row(std::size_t step) const {
  const State& now = states_[step];
  if (step == 0) {
    std::vector<double> numbers(7, std::numeric_limits<double>::quiet_NaN());
    numbers.push_back(now.p);
    return numbers;
  }
  return {now.g, now.m, now.v, now.m_hat, now.v_hat, now.decay, now.update, now.p};
}

base::Message AdamW::said(std::size_t step) const {
  const State& now = states_[step];
  if (step == 0) return text::message("stepper.said.adamw_begin");
  return text::message("stepper.said.adamw", {{"n", std::to_string(step)},
                                              {"update", text::decimal(now.update, 5)},
                                              {"lr", text::plain(lr_)},
                                              {"p", text::decimal(now.p, 5)}});
}

std::vector<calculate::Figure> AdamW::figures() const {
  const State& first = states_[1];
  double largest = 0;
  for (const State& one : states_) largest = std::max(largest, std::abs(one.update));
  const double raw = lr_ * first.m / (std::sqrt(first.v) + kEpsilon);
  return {{"learning_rate", lr_},
          {"first_update", first.update},
          {"first_uncorrected", raw},
          {"largest_update", largest},
          {"last_parameter", states_.back().p}};
}

}  // namespace ts::stepper
