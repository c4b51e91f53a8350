// Norms, softmax, weighted sum and cross entropy of ours against PyTorch's and against fp64:
// values, gradients, odd sizes, numbers that are no numbers, and the same bits whoever computes
// them.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/observe/cancellation.h"
#include "kernels/operators/call.h"
#include "kernels/operators/cross_entropy.h"
#include "kernels/operators/norm.h"
#include "kernels/operators/on_cuda.h"
#include "kernels/operators/softmax.h"
#include "kernels/operators/weighted_sum.h"
#include "tests/kernels/by_executor.h"
#include "tests/kernels/central_differences.h"
#include "tests/kernels/largest_error.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using own::Instructions;
using Tensors = std::vector<at::Tensor>;
using Operator = std::function<at::Tensor(const Tensors&)>;

constexpr double kEpsilon = 1e-5;

// An operator of ours with the same of PyTorch. The first input is x [rows, width]; all inputs have
// gradients.
struct Compared {
  std::string name;
  Tensors inputs;  // fp64
  std::function<at::Tensor(const Tensors&, Instructions)> ours;
  Operator theirs;
};

at::Tensor normal(at::IntArrayRef sizes, double size = 1) {
  return at::randn(sizes, at::kDouble) * size;
}

at::Tensor rms_norm(const Tensors& in) {
  const at::Tensor x = in[0].scalar_type() == at::kDouble ? in[0] : in[0].to(at::kFloat);
  const at::Tensor scale = (x.square().mean({-1}, true) + kEpsilon).rsqrt();
  return (x * scale * in[1]).to(in[0].scalar_type());
}

std::vector<Compared> all_operators(std::int64_t rows, std::int64_t width, double size) {
  at::manual_seed(7);
  const at::Tensor targets = at::randint(0, width, {rows}, at::kLong);
  const std::int64_t inner = 24;
  return {
      {"rms_norm",
       {normal({rows, width}, size), normal({width})},
       [](const Tensors& in, Instructions with) {
         return own_norm(false, in[0], in[1], {}, kEpsilon, with);
       },
       rms_norm},
      {"layer_norm",
       {normal({rows, width}, size) + size, normal({width}), normal({width})},
       [](const Tensors& in, Instructions with) {
         return own_norm(true, in[0], in[1], in[2], kEpsilon, with);
       },
       [](const Tensors& in) {
         return at::layer_norm(in[0], {in[0].size(1)}, in[1], in[2], kEpsilon);
       }},
      {"softmax",
       {normal({rows, width}, size)},
       [](const Tensors& in, Instructions with) { return own_softmax(in[0], with); },
       [](const Tensors& in) { return at::softmax(in[0], -1); }},
      {"weighted_sum",
       {normal({rows, width}, size), normal({width})},
       [](const Tensors& in, Instructions with) { return own_weighted_sum(in[0], in[1], with); },
       [](const Tensors& in) { return (in[0] * in[1]).sum(-1); }},
      {"cross_entropy",
       {normal({rows, inner}, size), normal({width, inner})},
       [targets](const Tensors& in, Instructions with) {
         return own_cross_entropy(in[0], in[1], targets, with);
       },
       [targets](const Tensors& in) {
         return at::cross_entropy_loss(at::linear(in[0], in[1]), targets);
       }}};
}

Tensors as_type(const Tensors& tensors, at::ScalarType type) {
  Tensors out;
  for (const at::Tensor& tensor : tensors) out.push_back(tensor.to(type));
  return out;
}

// The output and the gradients of all inputs, for a gradient of the output that is the same in
// every type.
Tensors results(const Tensors& inputs, const Operator& run) {
  Tensors leaves;
  for (const at::Tensor& one : inputs) leaves.push_back(one.clone().requires_grad_(true));
  const at::Tensor y = run(leaves);
  at::manual_seed(11);
  const at::Tensor d_y = at::randn(y.sizes(), at::kDouble).to(inputs[0].scalar_type());
  Tensors all = torch::autograd::grad({y}, leaves, {d_y.to(y.scalar_type())});
  all.insert(all.begin(), y.detach());
  return all;
}

Operator with(const Compared& compared, Instructions instructions) {
  return [&compared, instructions](const Tensors& in) { return compared.ours(in, instructions); };
}

// Instructions of the processor, or the kernels in CUDA C++, run by the executor.
struct Written {
  Instructions instructions = Instructions::portable;
  bool cuda = false;
};

struct OwnOperators : testing::TestWithParam<Written> {
  void SetUp() override {
    if (!own::runs_here(instructions())) GTEST_SKIP() << "not on this processor";
    if (GetParam().cuda) cuda_.emplace(run_by_executor);
  }
  static Instructions instructions() { return GetParam().instructions; }
  // The executor takes a thousand times as long.
  static std::int64_t many_rows() { return GetParam().cuda ? 140 : 1100; }

 private:
  std::optional<CpuAsCuda> cuda_;
};

// The norm of the differences: of all numbers, so that no single rounding decides.
double error_of(const at::Tensor& got, const at::Tensor& exact) {
  return (got.to(at::kDouble) - exact).norm().item<double>();
}

void expect_twice_as_exact(const Compared& one, at::ScalarType type, Instructions instructions) {
  const Tensors inputs = as_type(one.inputs, type);
  const Tensors exact = results(as_type(inputs, at::kDouble), one.theirs);
  const Tensors ours = results(inputs, with(one, instructions));
  const Tensors theirs = results(inputs, one.theirs);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LE(error_of(ours[i], exact[i]),
              2 * error_of(theirs[i], exact[i]) + 1e-7 * exact[i].norm().item<double>())
        << one.name << ", result " << i;
  }
}

TEST_P(OwnOperators, ErrorIsAtMostTwiceThatOfPyTorch) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const double size : {1e-4, 1.0, 1000.0}) {
      for (const std::int64_t width : {100, 520}) {
        SCOPED_TRACE(testing::Message() << toString(type) << " " << size << " " << width);
        for (const Compared& one : all_operators(many_rows(), width, size)) {
          // The gradients of huge logits vanish but for few, and fp16 has no sums of huge numbers.
          if (type == at::kHalf && size > 1) continue;
          expect_twice_as_exact(one, type, instructions());
        }
      }
    }
  }
}

// Under a mask most scores are minus infinity.
TEST_P(OwnOperators, MaskedScores) {
  for (Compared& one : all_operators(130, 130, 3)) {
    if (one.name != "softmax") continue;
    const at::Tensor later = at::randn({130, 130}, at::kDouble).triu(1) != 0;
    one.inputs[0] = one.inputs[0].masked_fill(later, -kInfinity);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
      expect_twice_as_exact(one, type, instructions());
    }
  }
}

TEST_P(OwnOperators, OddSizes) {
  for (const std::int64_t width : {1, 2, 15, 16, 17, 63, 64, 65, 130, 1000}) {
    for (const std::int64_t rows : {1, 15, 17, 70}) {
      for (const Compared& one : all_operators(rows, width, 1)) {
        const Tensors inputs = as_type(one.inputs, at::kFloat);
        const Tensors exact = results(as_type(inputs, at::kDouble), one.theirs);
        const Tensors ours = results(inputs, with(one, instructions()));
        for (std::size_t i = 0; i < exact.size(); ++i) {
          ASSERT_EQ(ours[i].sizes(), exact[i].sizes());
          // One number, or two that are alike, are divided by little more than this.
          const bool narrow = one.name == "layer_norm" && width <= 2;
          const double condition = narrow ? 1 / std::sqrt(kEpsilon) : 1;
          const double largest = exact[i].abs().max().item<double>();
          EXPECT_LE(largest_error(ours[i], exact[i]), 1e-5 * condition * (1 + largest))
              << one.name << " " << rows << " x " << width << ", result " << i;
        }
      }
    }
  }
}

// A sum that is expanded, and an input whose rows are not dense.
TEST_P(OwnOperators, AnyLayout) {
  for (const Compared& one : all_operators(40, 40, 1)) {
    const Tensors inputs = as_type(one.inputs, at::kFloat);
    const auto loss = [&](const at::Tensor& x) {
      Tensors in = inputs;
      in[0] = x;
      return one.ours(in, instructions()).sum();
    };
    const at::Tensor dense = inputs[0].clone().requires_grad_(true);
    loss(dense).backward();
    const at::Tensor turned = inputs[0].t().contiguous().requires_grad_(true);
    loss(turned.t()).backward();
    EXPECT_TRUE(at::equal(dense.grad(), turned.grad().t())) << one.name;
  }
}

TEST_P(OwnOperators, NaNAndInfinityAsInPyTorch) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, kInfinity, -kInfinity}) {
    for (Compared& one : all_operators(40, 40, 1)) {
      one.inputs[0][5][3] = bad;
      const Tensors inputs = as_type(one.inputs, at::kFloat);
      const Tensors ours = results(inputs, with(one, instructions()));
      const Tensors theirs = results(inputs, one.theirs);
      for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_TRUE(at::equal(at::isnan(ours[i]), at::isnan(theirs[i])) &&
                    at::equal(at::isinf(ours[i]), at::isinf(theirs[i])))
            << one.name << " with " << bad << ", result " << i;
      }
    }
  }
}

TEST_P(OwnOperators, TheSameBitsFromRunToRunAndForAnyThreads) {
  const int threads = at::get_num_threads();
  for (const Compared& one : all_operators(many_rows(), 100, 1)) {
    // The products of cross entropy are LibTorch's, which says nothing of other threads.
    const bool products = one.name == "cross_entropy";
    const Tensors inputs = as_type(one.inputs, at::kFloat);
    const Tensors first = results(inputs, with(one, instructions()));
    for (const int count : {threads, 1, 2, 3, 7}) {
      if (products && count != threads) continue;
      at::set_num_threads(count);
      const Tensors again = results(inputs, with(one, instructions()));
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_TRUE(at::equal(first[i], again[i])) << one.name << ", " << count << " threads";
      }
    }
    at::set_num_threads(threads);
  }
}

std::string instructions_name(const testing::TestParamInfo<Written>& info) {
  if (info.param.cuda) return "cuda_by_executor";
  std::string name = own::name_of(info.param.instructions);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, OwnOperators,
                         testing::Values(Written{Instructions::portable},
                                         Written{Instructions::avx2}, Written{Instructions::avx512},
                                         Written{.cuda = true}),
                         instructions_name);

// Central differences of every number of every input, in fp64.
TEST(OwnOperatorsInFp64, GradientsAreThoseOfDifferences) {
  for (const Compared& one : all_operators(7, 9, 1)) {
    const Operator run = with(one, Instructions::portable);
    const Tensors gradients = results(one.inputs, run);
    at::manual_seed(11);
    const at::Tensor d_y = at::randn(gradients[0].sizes(), at::kDouble);
    const auto loss = [&] { return (run(one.inputs) * d_y).sum().item<double>(); };
    for (std::size_t t = 0; t < one.inputs.size(); ++t) {
      expect_central_differences(one.inputs[t], gradients[t + 1], loss,
                                 one.name + ", input " + std::to_string(t));
    }
  }
}

// The gradients of a chunk are added to those of the chunks before.
TEST(OwnCrossEntropy, ChunksAddUp) {
  EXPECT_EQ(cross_entropy_chunks(2048, 2560, 10000, at::kFloat), 4);
  EXPECT_EQ(cross_entropy_chunks(2048, 2560, 10000, at::kBFloat16), 2);
  EXPECT_EQ(cross_entropy_chunks(4096, 512, 50000, at::kFloat), 16);
  EXPECT_EQ(cross_entropy_chunks(4096, 512, 50000, at::kHalf), 2);
  EXPECT_EQ(cross_entropy_chunks(100, 512, 50000, at::kFloat), 1)
      << "products of few rows are slow";
  EXPECT_EQ(cross_entropy_chunks(4096, 512, 100, at::kFloat), 1) << "smaller than x";
  ASSERT_EQ(cross_entropy_chunks(1111, 24, 97, at::kFloat), 4);
  for (const Compared& one : all_operators(1111, 97, 1)) {
    if (one.name != "cross_entropy") continue;
    const Tensors exact = results(one.inputs, one.theirs);
    const Tensors ours = results(one.inputs, with(one, Instructions::portable));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_LT(largest_error(ours[i], exact[i]), 1e-13);
    }
  }
}

// On CUDA chunks are of classes: the gradients of weight are made once, those of x are added up.
TEST(OwnCrossEntropy, ChunksOfClassesAddUpOnCuda) {
  const CpuAsCuda cuda(run_by_executor);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const std::int64_t columns : {7, 96, 97}) {
      for (Compared& one : all_operators(33, 97, 3)) {
        if (one.name != "cross_entropy") continue;
        SCOPED_TRACE(testing::Message() << toString(type) << ", chunks of " << columns);
        const Tensors targets = {at::randint(0, 97, {33}, at::kLong)};
        one.ours = [&](const Tensors& in, Instructions) {
          return cross_entropy_on_cuda(in[0], in[1], targets[0],
                                       std::min<std::int64_t>(columns, 97));
        };
        one.theirs = [&](const Tensors& in) {
          return at::cross_entropy_loss(at::linear(in[0], in[1]), targets[0]);
        };
        expect_twice_as_exact(one, type, Instructions::portable);
      }
    }
  }
}

// A log of a sum of huge logits, whose chunks differ by hundreds, and a target in each chunk.
TEST(OwnCrossEntropy, ChunksOfVeryDifferentLogitsOnCuda) {
  const CpuAsCuda cuda(run_by_executor);
  at::manual_seed(5);
  const at::Tensor x = at::randn({6, 4}), targets = at::tensor({0, 9, 10, 19, 20, 24}, at::kLong);
  at::Tensor weight = at::randn({25, 4});
  weight.narrow(0, 0, 10).mul_(300);
  weight.narrow(0, 20, 5).mul_(-100);
  const auto loss = [&](bool ours) {
    return ours ? cross_entropy_on_cuda(x, weight, targets, 10)
                : at::cross_entropy_loss(at::linear(x, weight), targets);
  };
  EXPECT_NEAR(loss(true).item<double>(), loss(false).item<double>(), 1e-3);
}

TEST(OwnCrossEntropy, ASecondBackwardIsRefused) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({20, 8}).requires_grad_(true);
  const at::Tensor loss =
      own_cross_entropy(x, at::randn({30, 8}), at::randint(0, 30, {20}, at::kLong));
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_THROW(loss.backward(), c10::Error);
}

// The gradient of weight adds up over chunks, and 16 bits round after each: its largest error, and
// that of all numbers, beside PyTorch's. A gradient of the loss that is a power of two, 1 or the
// scale of a loss, rounds nothing; another one rounds once more, which the largest error may show.
TEST(OwnCrossEntropy, ErrorOfTheWeightIsAtMostTwiceThatOfPyTorch) {
  struct Sizes {
    std::int64_t tokens, width, classes;
  };
  for (const auto& [tokens, width, classes] :
       {Sizes{2048, 256, 1000}, Sizes{1024, 64, 300}, Sizes{2048, 96, 3000}}) {
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
      for (const double size : {0.01, 1.0}) {
        for (const double factor : {1.0, 0.703125}) {
          SCOPED_TRACE(testing::Message() << tokens << " x " << width << " to " << classes << ", "
                                          << toString(type) << ", " << size << ", " << factor);
          ASSERT_GT(cross_entropy_chunks(tokens, width, classes, type), 1);
          at::manual_seed(3);
          const at::Tensor targets = at::randint(0, classes, {tokens}, at::kLong);
          const at::Tensor x = normal({tokens, width}, size).to(type);
          const at::Tensor weight =
              normal({classes, width}, 1 / std::sqrt(static_cast<double>(width))).to(type);
          const auto gradient = [&](at::ScalarType in, bool own) {
            const at::Tensor leaf = weight.detach().to(in).requires_grad_(true);
            const at::Tensor loss =
                own ? own_cross_entropy(x.to(in), leaf, targets)
                    : at::cross_entropy_loss(at::linear(x.to(in), leaf), targets);
            return torch::autograd::grad({loss}, {leaf}, {at::full_like(loss, factor)})[0];
          };
          const at::Tensor exact = gradient(at::kDouble, false);
          const at::Tensor ours = gradient(type, true), theirs = gradient(type, false);
          EXPECT_LE(error_of(ours, exact), 2 * error_of(theirs, exact));
          if (factor == 1) {
            EXPECT_LE(largest_error(ours, exact), 2 * largest_error(theirs, exact));
          }
        }
      }
    }
  }
}

// The measured step: no block has room for all logits, where PyTorch's has several.
TEST(OwnCrossEntropy, LogitsAreNeverWhole) {
  const auto whole_logits = [](spec::Kernels kernels) {
    spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm);
    spec.batch = 8;
    spec.seq_len = 128;
    spec.vocab = 1000;
    spec.kernels = kernels;
    Recorded recorded;
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    EXPECT_TRUE(execution) << execution.error().sentence;
    EXPECT_TRUE((*execution)->step(&recorded.recorder, 0));
    recorded.drain();
    const std::int64_t bytes = spec.batch * spec.seq_len * spec.vocab * 4;
    return std::ranges::count_if(recorded.memory.blocks(), [bytes](const memory::Block& block) {
      return block.size >= bytes;
    });
  };
  EXPECT_EQ(whole_logits(spec::Kernels::own), 0);
  EXPECT_GE(whole_logits(spec::Kernels::torch), 3);
}

// Every part cancels, so that each thread finishes one at most.
TEST(OwnCall, ACancelledCallEndsOnAllThreads) {
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  base::CancelToken token;
  const CancelScope scope(token);
  std::atomic<int> computed = 0;
  EXPECT_THROW(share_among_threads(1000,
                                   [&](std::int64_t) {
                                     ++computed;
                                     token.cancel();
                                   }),
               Cancelled);
  at::set_num_threads(threads);
  EXPECT_GE(computed, 1);
  EXPECT_LE(computed, 2);
}

}  // namespace
}  // namespace ts::kernels
