#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"

namespace ts::stepper {

// A floating-point type as its significant bits and its smallest normal exponent.
struct FloatType {
  const char* name;
  int bits;
  int least_exponent;
};
inline constexpr FloatType kFp32 = {"fp32", 24, -126};
inline constexpr FloatType kFp16 = {"fp16", 11, -14};
inline constexpr FloatType kBf16 = {"bf16", 8, -126};

// The nearest number of the type, ties to even (IEEE 754). Without overflow.
double rounded(double x, const FloatType& type);
// From |x| to the next larger number of the type.
double spacing(double x, const FloatType& type);

// The same number added again and again, in several types side by side (A2-10 of the exercises).
class LowPrecisionSum {
 public:
  // Inputs additions, thousandths.
  explicit LowPrecisionSum(const calculate::Chosen& chosen);

  // How a sum is kept, and in which type the term is.
  struct Kind {
    const char* name;
    FloatType sum;
    FloatType term;
  };
  static constexpr std::array<Kind, 4> kKinds = {{{"fp32", kFp32, kFp32},
                                                  {"fp16", kFp16, kFp16},
                                                  {"bf16", kBf16, kBf16},
                                                  {"fp32 += fp16", kFp32, kFp16}}};
  using Sums = std::array<double, kKinds.size()>;

  [[nodiscard]] std::size_t steps() const { return sums_.size(); }
  [[nodiscard]] const Sums& sums(std::size_t step) const { return sums_[step]; }
  [[nodiscard]] double term() const { return term_; }
  [[nodiscard]] double term_in(std::size_t kind) const { return rounded(term_, kKinds[kind].term); }
  // Without any rounding.
  [[nodiscard]] double exact(std::size_t step) const { return term_ * static_cast<double>(step); }
  // The loss of this step's addition: the rounded sum less the exact sum of its two numbers.
  [[nodiscard]] double lost(std::size_t step, std::size_t kind) const;
  // The first step that changed nothing; 0: there is none.
  [[nodiscard]] std::size_t stalls_at(std::size_t kind) const;

  [[nodiscard]] std::vector<double> row(std::size_t step) const;
  [[nodiscard]] base::Message said(std::size_t step) const;
  [[nodiscard]] std::vector<calculate::Figure> figures() const;

 private:
  double term_;
  std::vector<Sums> sums_;
};

}  // namespace ts::stepper
