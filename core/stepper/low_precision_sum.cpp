#include "core/stepper/low_precision_sum.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::stepper {

double spacing(double x, const FloatType& type) {
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| = 0.5 ... 1 times 2^exponent
  const int normal = x == 0 ? type.least_exponent : std::max(exponent - 1, type.least_exponent);
  return std::ldexp(1.0, normal - (type.bits - 1));
}

double rounded(double x, const FloatType& type) {
  const double step = spacing(x, type);
  return std::nearbyint(x / step) * step;  // the default rounding: to nearest, ties to even
}

LowPrecisionSum::LowPrecisionSum(const calculate::Chosen& chosen)
    : term_(chosen.real("thousandths") / 1000) {
  const auto additions = static_cast<std::size_t>(chosen.number("additions"));
  sums_.reserve(additions + 1);
  sums_.push_back({});
  for (std::size_t i = 0; i < additions; ++i) {
    Sums next = sums_.back();
    // A sum of two such numbers is exact in fp64 wherever it matters: their exponents are near.
    for (std::size_t kind = 0; kind < next.size(); ++kind)
      next[kind] = rounded(next[kind] + term_in(kind), kKinds[kind].sum);
    sums_.push_back(next);
  }
}

double LowPrecisionSum::lost(std::size_t step, std::size_t kind) const {
  if (step == 0) return 0;
  return sums_[step][kind] - (sums_[step - 1][kind] + term_in(kind));
}

std::size_t LowPrecisionSum::stalls_at(std::size_t kind) const {
  for (std::size_t step = 1; step < sums_.size(); ++step) {
    if (sums_[step][kind] == sums_[step - 1][kind]) return step;
  }
  return 0;
}

std::vector<double> LowPrecisionSum::row(std::size_t step) const {
  std::vector<double> numbers = {exact(step)};
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    numbers.push_back(sums_[step][kind]);
    numbers.push_back(lost(step, kind));
  }
  return numbers;
}

base::Message LowPrecisionSum::said(std::size_t step) const {
  const std::string term = text::plain(term_);
  if (step == 0) return text::message("stepper.said.sum_begin", {{"term", term}});
  std::string stalled;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    if (sums_[step][kind] == sums_[step - 1][kind])
      stalled += (stalled.empty() ? "" : ", ") + std::string(kKinds[kind].name);
  }
  const std::string exactly = text::decimal(exact(step), 3);
  if (stalled.empty())
    return text::message("stepper.said.sum",
                         {{"n", std::to_string(step)}, {"term", term}, {"exact", exactly}});
  return text::message(
      "stepper.said.sum_stalled",
      {{"n", std::to_string(step)}, {"term", term}, {"exact", exactly}, {"types", stalled}});
}

std::vector<calculate::Figure> LowPrecisionSum::figures() const {
  const Sums& end = sums_.back();
  return {{"exact_sum", exact(sums_.size() - 1)},
          {"fp32_sum", end[0]},
          {"fp16_sum", end[1]},
          {"bf16_sum", end[2]},
          {"fp32_fp16_sum", end[3]},
          {"fp16_stalls", static_cast<double>(stalls_at(1))},
          {"bf16_stalls", static_cast<double>(stalls_at(2))}};
}

}  // namespace ts::stepper
