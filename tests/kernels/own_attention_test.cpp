// Our own attention against PyTorch's and against fp64: values, gradients, odd sizes, numbers that
// are no numbers, and the same bits whoever computes them.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/attention/attend.h"
#include "kernels/own/attention_kernel.h"
#include "tests/kernels/central_differences.h"
#include "tests/kernels/compared_attention.h"
#include "tests/kernels/largest_error.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

Attention own_attention(const own::AttentionKernel& kernel, bool causal) {
  return [&kernel, causal](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return attend_own(causal, q, k, v, &kernel);
  };
}

struct OwnAttention : testing::TestWithParam<const own::AttentionKernel*> {
  void SetUp() override {
    if (!own::runs_here(kernel())) GTEST_SKIP() << "not on this processor";
  }
  static const own::AttentionKernel& kernel() { return *GetParam(); }
  // In fp32 to fp64, causal where it can be, too.
  static void expect_close(const HeadSizes& sizes) {
    for (const bool causal : {false, true}) {
      if (causal && sizes.queries != sizes.keys) continue;
      SCOPED_TRACE(testing::Message() << sizes << (causal ? " causal" : ""));
      const AttentionInputs inputs = inputs_of(sizes, at::kFloat);
      const auto exact = results(inputs, at::kDouble, formula(causal));
      const auto ours = results(inputs, at::kFloat, own_attention(kernel(), causal));
      expect_close_in_fp32(ours, exact);
    }
  }
};

// Types, sizes of numbers, and masks.
TEST_P(OwnAttention, ErrorIsAtMostTwiceThatOfPyTorch) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const double size : {1e-4, 1.0, 30.0}) {
      for (const bool causal : {false, true}) {
        for (const std::int64_t d_head : {48, 64}) {
          SCOPED_TRACE(testing::Message()
                       << toString(type) << " " << size << " " << causal << " " << d_head);
          const AttentionInputs inputs =
              inputs_of({.queries = 140, .keys = 140, .d_head = d_head}, type, size);
          const auto exact = results(inputs, at::kDouble, formula(causal));
          const auto ours = results(inputs, type, own_attention(kernel(), causal));
          const auto theirs = results(inputs, type, flash_attention(causal));
          expect_at_most_twice_the_error(ours, theirs, exact);
        }
      }
    }
  }
}

// Sums over many tiles: their rounding must not grow with the length.
TEST_P(OwnAttention, ErrorOfLongSequencesIsAtMostTwiceThatOfPyTorch) {
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal ? "causal" : "all keys");
    const AttentionInputs inputs = inputs_of(
        {.batch = 1, .heads = 2, .kv_heads = 2, .queries = 2048, .keys = 2048, .d_head = 64},
        at::kFloat);
    const auto exact = results(inputs, at::kDouble, formula(causal));
    const auto ours = results(inputs, at::kFloat, own_attention(kernel(), causal));
    const auto theirs = results(inputs, at::kFloat, flash_attention(causal));
    expect_at_most_twice_the_error(ours, theirs, exact);
  }
}

// One query, one key, remainders of every kind of tile, heads of every width, shared keys.
TEST_P(OwnAttention, OddSizes) {
  std::vector<HeadSizes> all;
  for (const std::int64_t d_head : {1, 3, 64, 100, 128, 250, 256}) {
    for (const std::int64_t length : {1, 31, 64, 65, 130}) {
      all.push_back({.queries = length, .keys = length, .d_head = d_head});
    }
    all.push_back({.queries = 3, .keys = 150, .d_head = d_head});
    all.push_back({.queries = 150, .keys = 3, .d_head = d_head});
    all.push_back(
        {.batch = 2, .heads = 6, .kv_heads = 2, .queries = 70, .keys = 70, .d_head = d_head});
    all.push_back({.heads = 3, .kv_heads = 1, .queries = 40, .keys = 90, .d_head = d_head});
  }
  for (const HeadSizes& sizes : all) expect_close(sizes);
}

// Few heads of keys: their keys are cut among threads.
TEST_P(OwnAttention, FewHeadsOfKeys) {
  for (const HeadSizes& sizes :
       {HeadSizes{.heads = 4, .kv_heads = 1, .queries = 530, .keys = 530, .d_head = 24},
        HeadSizes{.heads = 2, .kv_heads = 2, .queries = 600, .keys = 600, .d_head = 16},
        HeadSizes{.heads = 3, .kv_heads = 1, .queries = 70, .keys = 700, .d_head = 17}}) {
    expect_close(sizes);
  }
  for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
    for (const bool causal : {false, true}) {
      SCOPED_TRACE(testing::Message() << toString(type) << (causal ? " causal" : ""));
      const AttentionInputs inputs =
          inputs_of({.heads = 1, .kv_heads = 1, .queries = 600, .keys = 600}, type);
      const auto exact = results(inputs, at::kDouble, formula(causal));
      const auto ours = results(inputs, type, own_attention(kernel(), causal));
      const auto theirs = results(inputs, type, flash_attention(causal));
      for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_LE(largest_error(ours[i], exact[i]), 2 * largest_error(theirs[i], exact[i]))
            << kNames[i];
      }
    }
  }
}

// Tiles of any size, smaller and larger than the sequence, and no multiple of a vector.
TEST_P(OwnAttention, AnyTiles) {
  const AttentionInputs inputs =
      inputs_of({.heads = 4, .kv_heads = 2, .queries = 150, .keys = 150, .d_head = 40}, at::kFloat);
  for (const bool causal : {false, true}) {
    const auto exact = results(inputs, at::kDouble, formula(causal));
    for (const OwnTiles& tiles :
         {OwnTiles{1, 1}, {16, 128}, {128, 16}, {33, 7}, {7, 100}, {512, 512}}) {
      SCOPED_TRACE(testing::Message() << tiles.queries << " x " << tiles.keys << " " << causal);
      const auto ours = results(inputs, at::kFloat,
                                [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                                  return attend_own(causal, q, k, v, &kernel(), tiles);
                                });
      expect_close_in_fp32(ours, exact);
    }
  }
}

// A gradient of the output that is one number, tensors whose rows are not dense, and heads that lie
// between one another, as after a projection.
TEST_P(OwnAttention, AnyLayout) {
  const AttentionInputs dense = inputs_of({.queries = 70, .keys = 70, .d_head = 24}, at::kFloat);
  const auto by_token = [](const at::Tensor& x) {
    return x.transpose(1, 2).contiguous().transpose(1, 2);
  };
  const auto by_number = [](const at::Tensor& x) {
    return x.transpose(2, 3).contiguous().transpose(2, 3);
  };
  const auto expected = results(dense, at::kFloat, own_attention(kernel(), true));
  for (const auto& layout : {std::function<at::Tensor(const at::Tensor&)>(by_token), {by_number}}) {
    const auto got = results({dense.q, dense.k, dense.v, layout(dense.d_o)}, at::kFloat,
                             [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                               return attend_own(true, layout(q), layout(k), layout(v), &kernel());
                             });
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(at::equal(got[i], expected[i]));
  }
  const at::Tensor q = dense.q.clone().requires_grad_(true);
  attend_own(false, q, dense.k, dense.v, &kernel()).sum().backward();
  const at::Tensor same = dense.q.clone().requires_grad_(true);
  formula(false)(same, dense.k, dense.v).sum().backward();
  EXPECT_LT(largest_error(q.grad(), same.grad().to(at::kDouble)), 1e-5);
}

// The same places are NaN or infinite as in PyTorch: by its formula or by its flash, which differ
// from one another in the gradients.
TEST_P(OwnAttention, NaNAndInfinityAsInPyTorch) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto same_places = [](const at::Tensor& a, const at::Tensor& b) {
    return at::equal(at::isnan(a), at::isnan(b)) && at::equal(at::isinf(a), at::isinf(b));
  };
  for (const double bad : {nan, kInfinity, -kInfinity}) {
    for (const std::size_t which : {0, 1, 2}) {
      SCOPED_TRACE(testing::Message() << bad << " in "
                                      << "qkv"[which]);
      AttentionInputs inputs = inputs_of({.queries = 70, .keys = 90, .d_head = 16}, at::kFloat);
      const at::Tensor x = which == 0 ? inputs.q : which == 1 ? inputs.k : inputs.v;
      x[0][1][5][3] = bad;
      const auto ours = results(inputs, at::kFloat, own_attention(kernel(), false));
      const auto flash = results(inputs, at::kFloat, flash_attention(false));
      const auto exact = results(inputs, at::kFloat, formula(false));
      for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_TRUE(same_places(ours[i], flash[i]) || same_places(ours[i], exact[i])) << kNames[i];
      }
    }
  }
}

// Scores that are all minus infinity: the output is 0, as PyTorch's flash has it, and so are the
// gradients.
TEST_P(OwnAttention, RowsWithoutWeightAreZero) {
  AttentionInputs inputs = inputs_of({.queries = 70, .keys = 70, .d_head = 16}, at::kFloat);
  inputs.q.fill_(1);
  inputs.k[0][0].fill_(-kInfinity);
  const at::Tensor theirs = flash_attention(false)(inputs.q, inputs.k, inputs.v);
  const auto ours = results(inputs, at::kFloat, own_attention(kernel(), false));
  EXPECT_LT(largest_error(ours[0], theirs.to(at::kDouble)), 1e-5);
  EXPECT_EQ(ours[0][0][0].abs().max().item<float>(), 0);
  EXPECT_EQ(ours[3][0][0].abs().max().item<float>(), 0);
}

TEST_P(OwnAttention, TheSameBitsFromRunToRunAndForAnyThreads) {
  const int threads = at::get_num_threads();
  for (const HeadSizes& sizes :
       {HeadSizes{.batch = 2, .heads = 6, .kv_heads = 3, .queries = 200, .keys = 200},
        HeadSizes{.heads = 2, .kv_heads = 1, .queries = 520, .keys = 520, .d_head = 16}}) {
    const AttentionInputs inputs = inputs_of(sizes, at::kFloat);
    for (const bool causal : {false, true}) {
      const auto first = results(inputs, at::kFloat, own_attention(kernel(), causal));
      for (const int count : {threads, 1, 2, 3, 7}) {
        at::set_num_threads(count);
        const auto again = results(inputs, at::kFloat, own_attention(kernel(), causal));
        for (std::size_t i = 0; i < first.size(); ++i) {
          EXPECT_TRUE(at::equal(first[i], again[i])) << count << " threads, " << kNames[i];
        }
      }
    }
  }
  at::set_num_threads(threads);
}

std::string kernel_of(const testing::TestParamInfo<const own::AttentionKernel*>& info) {
  std::string name = own::name_of(*info.param);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, OwnAttention,
                         testing::Values(&own::kPortableAttention, &own::kAvx2Attention,
                                         &own::kAvx512Attention, &own::kAvx512Bf16Attention),
                         kernel_of);

// One seed may be lucky: over several the error is below PyTorch's, and never twice as large.
// Values and gradients of mean(output^2), by the kernels that sum in fp32.
TEST(OwnAttentionInFp32, ErrorOverSeedsIsBelowThatOfPyTorch) {
  constexpr std::uint64_t kSeeds = 4;
  for (const bool causal : {false, true}) {
    std::map<const own::AttentionKernel*, double> logarithms;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      AttentionInputs inputs =
          inputs_of({.heads = 1, .kv_heads = 1, .queries = 1024, .keys = 1024, .d_head = 128},
                    at::kFloat, 1, seed);
      inputs.d_o = flash_attention(causal)(inputs.q, inputs.k, inputs.v);
      const auto exact = results(inputs, at::kDouble, formula(causal));
      const auto theirs = results(inputs, at::kFloat, flash_attention(causal));
      for (const auto* const kernel : {&own::kAvx2Attention, &own::kAvx512Attention}) {
        if (!own::runs_here(*kernel)) continue;
        const auto ours = results(inputs, at::kFloat, own_attention(*kernel, causal));
        for (std::size_t i = 0; i < exact.size(); ++i) {
          const double ratio =
              largest_error(ours[i], exact[i]) / largest_error(theirs[i], exact[i]);
          EXPECT_LE(ratio, 2) << own::name_of(*kernel) << " " << seed << " " << kNames[i];
          logarithms[kernel] += std::log(ratio) / static_cast<double>(kSeeds * exact.size());
        }
      }
    }
    for (const auto& [kernel, mean] : logarithms) {
      EXPECT_LE(std::exp(mean), 0.75) << own::name_of(*kernel) << (causal ? " causal" : "");
    }
  }
}

// Central differences of every number of Q, K and V, in fp64.
TEST(OwnAttentionInFp64, GradientsAreThoseOfDifferences) {
  for (const bool causal : {false, true}) {
    AttentionInputs inputs =
        inputs_of({.heads = 2, .kv_heads = 1, .queries = 35, .keys = 35, .d_head = 3}, at::kDouble);
    const Attention attention = own_attention(own::kPortableAttention, causal);
    const auto gradients = results(inputs, at::kDouble, attention);
    const auto loss = [&] {
      return (attention(inputs.q, inputs.k, inputs.v) * inputs.d_o).sum().item<double>();
    };
    const at::Tensor tensors[] = {inputs.q, inputs.k, inputs.v};
    for (std::size_t t = 0; t < std::size(tensors); ++t) {
      expect_central_differences(tensors[t], gradients[t + 1], loss, kNames[t + 1]);
    }
  }
}

TEST(OwnAttentionInFp64, IsExact) {
  const AttentionInputs inputs =
      inputs_of({.queries = 150, .keys = 150, .d_head = 40}, at::kDouble);
  const auto exact = results(inputs, at::kDouble, formula(true));
  const auto ours = results(inputs, at::kDouble, own_attention(own::kPortableAttention, true));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LT(largest_error(ours[i], exact[i]), 1e-13) << kNames[i];
  }
}

// The exact result would take T x T numbers in fp64; flash in fp32 is far more exact than 16 bits.
TEST(OwnAttentionInBf16, LongSequences) {
  const AttentionInputs inputs =
      inputs_of({.heads = 1, .kv_heads = 1, .queries = 16384, .keys = 16384}, at::kBFloat16);
  const Attention own = [](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return attend_own(true, q, k, v);
  };
  const auto exact = results(inputs, at::kFloat, flash_attention(true));
  const auto ours = results(inputs, at::kBFloat16, own);
  const auto theirs = results(inputs, at::kBFloat16, flash_attention(true));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const at::Tensor fp64 = exact[i].to(at::kDouble);
    EXPECT_LE(largest_error(ours[i], fp64), 2 * largest_error(theirs[i], fp64)) << kNames[i];
  }
}

// Kept for the backward are Q, K, V, O and L.
// at::parallel_for runs on one thread, and says nothing, in a source that is compiled without
// OpenMP.
TEST(OwnAttentionThreads, ShareTheTiles) {
  static std::mutex mutex;
  static std::set<std::thread::id> computed;
  own::AttentionKernel counting = own::kPortableAttention;
  counting.forward = [](const own::Head& head, std::int64_t first, void* scratch) {
    {
      const std::lock_guard lock(mutex);
      computed.insert(std::this_thread::get_id());
    }
    own::kPortableAttention.forward(head, first, scratch);
  };
  const auto [q, k, v, d_o] = inputs_of({}, at::kFloat);
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  attend_own(false, q, k, v, &counting);
  at::set_num_threads(threads);
  EXPECT_EQ(computed.size(), 2U);
}

TEST(OwnAttentionMemory, KeepsOutputAndSumsOnly) {
  spec::WorkloadSpec spec = small_attention();
  spec.backend = spec::AttentionBackend::own;
  Recorded recorded;
  auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
  recorded.drain();
  std::vector<std::int64_t> kept;
  for (const memory::Block& block : recorded.memory.blocks()) {
    if (block.category == memory::Category::activation) kept.push_back(block.size);
  }
  const std::int64_t rows = spec.batch * spec.heads * spec.seq_len;
  EXPECT_EQ(std::count(kept.begin(), kept.end(), rows * 8), 1);                // L
  EXPECT_EQ(std::count(kept.begin(), kept.end(), rows * spec.d_head * 4), 1);  // O
}

}  // namespace
}  // namespace ts::kernels
