// Softmax and cross entropy in CUDA C++, run by the executor with tensors of exactly their size:
// values, gradients, remainders of warps, chunks of classes. No access races, leaves its tensor or
// writes an input. tests/kernels/own_operators_test.cpp compares them with PyTorch.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "kernels/own_cuda/cross_entropy.h"
#include "kernels/own_cuda/softmax.h"
#include "tests/executor/run_rows.h"
#include "tests/executor/typed_tensor.h"

namespace ts::kernels::own_cuda {
namespace {

constexpr std::size_t kRows = 5;

struct OwnRows : testing::TestWithParam<std::string> {
  void TearDown() override { executor::release_tensors(); }

  // As the engine launches it.
  static void run(const std::string& name, report::RowLaunch launch, std::size_t width,
                  const void* problem) {
    const auto finding = run_rows_on_cpu(name, GetParam(), launch, kRows, width, 1, problem);
    ASSERT_FALSE(finding) << name << ": " << executor::name_of(finding.kind) << " in "
                          << finding.memory << "[" << finding.index << "]";
  }
  // The last block has one row, where it has several.
  static void run_rows(const std::string& name, std::size_t width, const void* problem) {
    run(name, report::RowLaunch::rows, width, problem);
  }
  static double tolerance() {
    return GetParam() == "fp32" ? 2e-6 : GetParam() == "fp16" ? 1e-3 : 1e-2;
  }
};

Values softmax_of(const Values& x, std::size_t width) {
  Values y(x.size());
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    double sum = 0;
    for (std::size_t c = begin; c < begin + width; ++c) sum += std::exp(x[c]);
    for (std::size_t c = begin; c < begin + width; ++c) y[c] = std::exp(x[c]) / sum;
  }
  return y;
}

TEST_P(OwnRows, Softmax) {
  for (const std::size_t width : {1U, 31U, 33U, 200U, 1023U, 4104U, 33000U}) {
    SCOPED_TRACE(width);
    const TypedTensor x("x", GetParam(), kRows * width, false);
    const TypedTensor y("y", GetParam(), kRows * width, true);
    const TypedTensor d_y("d_y", GetParam(), kRows * width, false);
    const TypedTensor d_x("d_x", GetParam(), kRows * width, true);
    const Values in = x.set(random_values(kRows * width, 1));
    const Values g = d_y.set(random_values(kRows * width, 2));
    const Softmax<void> problem{.x = x.data,
                                .y = y.data,
                                .d_y = d_y.data,
                                .d_x = d_x.data,
                                .rows = static_cast<int>(kRows),
                                .width = static_cast<int>(width)};
    ASSERT_NO_FATAL_FAILURE(run_rows("softmax_forward", width, &problem));
    expect_near(y.values_of(), softmax_of(in, width), tolerance(), "y");
    const Values p = y.values_of();  // as it is rounded, the backward has it
    ASSERT_NO_FATAL_FAILURE(run_rows("softmax_backward", width, &problem));
    Values exact(in.size());
    for (std::size_t begin = 0; begin < in.size(); begin += width) {
      double along = 0;
      for (std::size_t c = begin; c < begin + width; ++c) along += p[c] * g[c];
      for (std::size_t c = begin; c < begin + width; ++c) exact[c] = p[c] * (g[c] - along);
    }
    expect_near(d_x.values_of(), exact, tolerance(), "d_x");
    executor::release_tensors();
  }
}

// Logits [kRows][classes] by chunks, each a tensor of its own, that begins and ends where it does.
TEST_P(OwnRows, CrossEntropy) {
  constexpr std::size_t kClasses = 70;
  for (const std::size_t columns : {7U, 32U, 69U, 70U}) {
    SCOPED_TRACE(columns);
    TypedTensor largest("largest", "fp32", kRows, true), sums("sums", "fp32", kRows, true);
    TypedTensor losses("losses", "fp32", kRows, true), mean("mean", "fp32", 1, true);
    TypedTensor d_mean("d_mean", "fp32", 1, false);
    const double factor = d_mean.set({1.5})[0] / static_cast<double>(kRows);
    const std::int64_t targets[kRows] = {0, 69, 6, 7, 33};
    auto* const kept =
        static_cast<std::int64_t*>(executor::allocate("targets", sizeof targets, 8, false));
    std::memcpy(kept, targets, sizeof targets);
    CrossEntropy<void> problem{};
    problem.targets = kept;
    problem.largest = static_cast<float*>(largest.data);
    problem.sums = static_cast<float*>(sums.data);
    problem.losses = static_cast<float*>(losses.data);
    problem.mean = static_cast<float*>(mean.data);
    problem.d_mean = static_cast<const float*>(d_mean.data);
    problem.rows = static_cast<int>(kRows);
    std::vector<TypedTensor> chunks;
    std::vector<Values> rounded;
    for (std::size_t first = 0; first < kClasses; first += columns) {
      const std::size_t count = std::min(columns, kClasses - first);
      chunks.emplace_back("logits", GetParam(), kRows * count, true);
      Values some = random_values(kRows * count, static_cast<unsigned>(first));
      if (first > 0) some[0] += 20;  // far above what the chunks before had
      rounded.push_back(chunks.back().set(some));
      problem.logits = chunks.back().data;
      problem.width = static_cast<int>(count);
      problem.first = static_cast<int>(first);
      problem.begins = first == 0 ? 1 : 0;
      problem.ends = first + count == kClasses ? 1 : 0;
      ASSERT_NO_FATAL_FAILURE(run_rows("cross_entropy_forward", count, &problem));
    }
    ASSERT_NO_FATAL_FAILURE(run("cross_entropy_mean", report::RowLaunch::one, 1, &problem));
    Values exact_sums(kRows), chosen(kRows);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::size_t count = rounded[i].size() / kRows;
      for (std::size_t row = 0; row < kRows; ++row) {
        for (std::size_t c = 0; c < count; ++c) {
          exact_sums[row] += std::exp(rounded[i][row * count + c]);
          if (static_cast<std::int64_t>(i * columns + c) == targets[row])
            chosen[row] = rounded[i][row * count + c];
        }
      }
    }
    double loss = 0;
    for (std::size_t row = 0; row < kRows; ++row)
      loss += (std::log(exact_sums[row]) - chosen[row]) / static_cast<double>(kRows);
    expect_near(mean.values_of(), {loss}, 1e-6, "mean");
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::size_t count = rounded[i].size() / kRows;
      problem.logits = chunks[i].data;
      problem.width = static_cast<int>(count);
      problem.first = static_cast<int>(i * columns);
      ASSERT_NO_FATAL_FAILURE(run_rows("cross_entropy_backward", count, &problem));
      Values exact(rounded[i].size());
      for (std::size_t at = 0; at < exact.size(); ++at) {
        const auto target = static_cast<std::int64_t>(i * columns + at % count);
        exact[at] = factor * (std::exp(rounded[i][at]) / exact_sums[at / count] -
                              (target == targets[at / count] ? 1 : 0));
      }
      expect_near(chunks[i].values_of(), exact, tolerance(), "d_logits");
    }
    executor::release_tensors();
  }
}

// Three products of a chunk each: the sum is rounded once.
TEST_P(OwnRows, SumOfProducts) {
  constexpr std::size_t kWidth = 61, kCount = kRows * kWidth;
  const TypedTensor d_x("d_x", GetParam(), kCount, true), sum("sum", "fp32", kCount, true);
  CrossEntropy<void> problem{};
  problem.d_x = d_x.data;
  problem.d_x_sum = static_cast<float*>(sum.data);
  problem.rows = static_cast<int>(kRows);
  problem.width = static_cast<int>(kWidth);
  Values exact(kCount);
  for (unsigned part = 0; part < 3; ++part) {
    const Values some = d_x.set(random_values(kCount, part));
    for (std::size_t i = 0; i < kCount; ++i) exact[i] += some[i];
    problem.begins = part == 0 ? 1 : 0;
    problem.ends = part == 2 ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(run("cross_entropy_add", report::RowLaunch::numbers, kWidth, &problem));
  }
  const double once = GetParam() == "fp32" ? 1e-7 : GetParam() == "fp16" ? 5e-4 : 4e-3;
  expect_near(d_x.values_of(), exact, once, "d_x");
}

INSTANTIATE_TEST_SUITE_P(Types, OwnRows, testing::Values("fp32", "bf16", "fp16"),
                         [](const auto& shown) { return shown.param; });

}  // namespace
}  // namespace ts::kernels::own_cuda
