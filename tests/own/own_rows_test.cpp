// Norms, softmax, weighted sums and cross entropy on plain memory against their formulas in fp64,
// for every type, set of instructions and remainder of a vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/own/row_kernels.h"
#include "tests/own/typed_numbers.h"

namespace ts::kernels::own {
namespace {

using testing::random_values;
using testing::TypedNumbers;
using testing::Values;

constexpr std::size_t kRows = 3;

class OwnRows : public ::testing::TestWithParam<std::size_t> {
 protected:
  // Calls check(way, sums): the type of the kernel's sums.
  template <class Check>
  void each_way(Check check) {
    for (const testing::Way& way : testing::ways()) {
      SCOPED_TRACE(std::string(name_of(way.instructions)) + ", element " +
                   std::to_string(static_cast<int>(way.element)));
      element_ = way.element;
      check(way.instructions);
    }
  }
  [[nodiscard]] TypedNumbers numbers(unsigned seed) const {
    return {element_, random_values(kRows * width_, seed)};
  }
  [[nodiscard]] TypedNumbers zeros(std::size_t count) const { return {element_, count}; }
  void expect_near(const Values& got, const Values& exact, const char* name) const {
    double largest = 0;
    for (const double value : exact) largest = std::max(largest, std::abs(value));
    ASSERT_EQ(got.size(), exact.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], exact[i], TypedNumbers::tolerance(element_) * (1 + largest))
          << name << " " << i;
    }
  }

  std::size_t width_ = GetParam();
  Element element_ = Element::fp32;
};

Element sums_of(bool fp64) {
  return fp64 ? Element::fp64 : Element::fp32;
}

TEST_P(OwnRows, Softmax) {
  each_way([this](Instructions instructions) {
    const SoftmaxKernel& kernel = softmax_kernel(instructions);
    const TypedNumbers x = numbers(1), d_y = numbers(2), y = zeros(kRows * width_),
                       d_x = zeros(kRows * width_);
    const SoftmaxRows rows{.element = element_,
                           .rows = kRows,
                           .width = static_cast<std::int64_t>(width_),
                           .x = x.data(),
                           .y = y.data(),
                           .d_y = d_y.data(),
                           .d_x = d_x.data()};
    kernel.forward(rows);
    kernel.backward(rows);
    Values exact(kRows * width_), exact_d(kRows * width_);
    for (std::size_t row = 0; row < kRows; ++row) {
      double sum = 0, mean = 0;
      for (std::size_t c = row * width_; c < (row + 1) * width_; ++c)
        sum += std::exp(x.values()[c]);
      for (std::size_t c = row * width_; c < (row + 1) * width_; ++c) {
        exact[c] = std::exp(x.values()[c]) / sum;
        mean += exact[c] * d_y.values()[c];
      }
      for (std::size_t c = row * width_; c < (row + 1) * width_; ++c)
        exact_d[c] = exact[c] * (d_y.values()[c] - mean);
    }
    expect_near(y.values(), exact, "y");
    expect_near(d_x.values(), exact_d, "dx");
  });
}

TEST_P(OwnRows, Norms) {
  for (const bool centred : {false, true}) {
    each_way([this, centred](Instructions instructions) {
      const NormKernel& kernel = norm_kernel(instructions);
      const Element sums = sums_of(kernel.fp64_sums);
      const std::size_t n = width_;
      const TypedNumbers x = numbers(1), d_y = numbers(2), y = zeros(kRows * n),
                         d_x = zeros(kRows * n);
      const TypedNumbers weight{sums, random_values(n, 3)}, bias{sums, random_values(n, 4)};
      const TypedNumbers mean{sums, kRows}, scale{sums, kRows}, d_weight{sums, n}, d_bias{sums, n};
      const NormRows rows{.element = element_,
                          .centred = centred,
                          .rows = kRows,
                          .width = static_cast<std::int64_t>(n),
                          .epsilon = 1e-5,
                          .x = x.data(),
                          .weight = weight.data(),
                          .bias = centred ? bias.data() : nullptr,
                          .y = y.data(),
                          .mean = centred ? mean.data() : nullptr,
                          .scale = scale.data(),
                          .d_y = d_y.data(),
                          .d_x = d_x.data(),
                          .d_weight = d_weight.data(),
                          .d_bias = centred ? d_bias.data() : nullptr};
      kernel.forward(rows);
      kernel.backward(rows);
      const Values in = x.values(), d = d_y.values(), w = weight.values(), added = bias.values();
      Values exact(kRows * n), exact_d(kRows * n), exact_weight(n), exact_bias(n);
      const auto count = static_cast<double>(n);
      for (std::size_t row = 0; row < kRows; ++row) {
        double middle = 0, squares = 0, a = 0, b = 0;
        for (std::size_t c = 0; c < n && centred; ++c) middle += in[row * n + c] / count;
        for (std::size_t c = 0; c < n; ++c)
          squares += (in[row * n + c] - middle) * (in[row * n + c] - middle);
        const double s = 1 / std::sqrt(squares / count + 1e-5);
        const auto z = [&](std::size_t c) { return (in[row * n + c] - middle) * s; };
        for (std::size_t c = 0; c < n; ++c) {
          exact[row * n + c] = z(c) * w[c] + (centred ? added[c] : 0);
          exact_weight[c] += d[row * n + c] * z(c);
          if (centred) exact_bias[c] += d[row * n + c];
          a += d[row * n + c] * w[c] * z(c) / count;
          if (centred) b += d[row * n + c] * w[c] / count;
        }
        for (std::size_t c = 0; c < n; ++c)
          exact_d[row * n + c] = s * (d[row * n + c] * w[c] - b - z(c) * a);
      }
      expect_near(y.values(), exact, "y");
      // A row of one number has no spread: 1 / sqrt(epsilon) multiplies what rounding leaves.
      if (n > 1 || !centred) expect_near(d_x.values(), exact_d, "dx");
      expect_near(d_weight.values(), exact_weight, "dweight");
      expect_near(d_bias.values(), exact_bias, "dbias");
    });
  }
}

TEST_P(OwnRows, WeightedSum) {
  each_way([this](Instructions instructions) {
    const WeightedSumKernel& kernel = weighted_sum_kernel(instructions);
    const Element sums = sums_of(kernel.fp64_sums);
    const TypedNumbers x = numbers(1), d_x = zeros(kRows * width_), y = zeros(kRows);
    const TypedNumbers d_y{element_, random_values(kRows, 2)};
    const TypedNumbers weight{sums, random_values(width_, 3)}, d_weight{sums, width_};
    const WeightedSumRows rows{.element = element_,
                               .rows = kRows,
                               .width = static_cast<std::int64_t>(width_),
                               .x = x.data(),
                               .weight = weight.data(),
                               .y = y.data(),
                               .d_y = d_y.data(),
                               .d_x = d_x.data(),
                               .d_weight = d_weight.data()};
    kernel.forward(rows);
    kernel.backward(rows);
    const Values in = x.values(), w = weight.values(), d = d_y.values();
    Values exact(kRows), exact_d(kRows * width_), exact_weight(width_);
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t c = 0; c < width_; ++c) {
        exact[row] += in[row * width_ + c] * w[c];
        exact_d[row * width_ + c] = d[row] * w[c];
        exact_weight[c] += d[row] * in[row * width_ + c];
      }
    }
    expect_near(y.values(), exact, "y");
    expect_near(d_x.values(), exact_d, "dx");
    expect_near(d_weight.values(), exact_weight, "dweight");
  });
}

TEST_P(OwnRows, CrossEntropy) {
  each_way([this](Instructions instructions) {
    const CrossEntropyKernel& kernel = cross_entropy_kernel(instructions);
    const TypedNumbers logits = numbers(1);
    const Values in = logits.values();
    std::vector<std::int64_t> targets(kRows);
    for (std::size_t row = 0; row < kRows; ++row)
      targets[row] = static_cast<std::int64_t>((row * 7) % width_);
    Values loss(kRows), exact(kRows), exact_d(kRows * width_);
    const CrossEntropyRows rows{.element = element_,
                                .rows = kRows,
                                .width = static_cast<std::int64_t>(width_),
                                .logits = logits.data(),
                                .targets = targets.data(),
                                .loss = loss.data(),
                                .scale = 0.5};
    for (std::size_t row = 0; row < kRows; ++row) {
      double sum = 0;
      for (std::size_t c = 0; c < width_; ++c) sum += std::exp(in[row * width_ + c]);
      const auto target = static_cast<std::size_t>(targets[row]);
      exact[row] = std::log(sum) - in[row * width_ + target];
      for (std::size_t c = 0; c < width_; ++c) {
        const double p = std::exp(in[row * width_ + c]) / sum;
        exact_d[row * width_ + c] = 0.5 * (c == target ? p - 1 : p);
      }
    }
    kernel.forward(rows);
    expect_near(loss, exact, "loss");
    EXPECT_EQ(logits.values(), in) << "the forward reads only";
    kernel.backward(rows);
    expect_near(loss, exact, "loss");
    expect_near(logits.values(), exact_d, "dlogits");
  });
}

INSTANTIATE_TEST_SUITE_P(Widths, OwnRows,
                         ::testing::Values(1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130));

}  // namespace
}  // namespace ts::kernels::own
