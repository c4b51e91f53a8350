// Our own attention in CUDA C++, run by the executor, against PyTorch's and against fp64. Each
// stage of the kernels is compared in executor_test; here what calls them: heads of any width and
// layout, shared keys, and the stage that a card gets.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/attention/attend.h"
#include "kernels/observe/failure.h"
#include "tests/kernels/by_executor.h"
#include "tests/kernels/compared_attention.h"
#include "tests/kernels/largest_error.h"

namespace ts::kernels {
namespace {

std::vector<std::string>& launched_kernels() {
  static std::vector<std::string> names;
  return names;
}

const char* run_and_note(const OwnLaunch& launch) {
  launched_kernels().push_back(launch.kernel);
  return run_by_executor(launch);
}

Attention attention_on_cuda(bool causal) {
  return [causal](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return attend_own(causal, q, k, v);
  };
}

// By the compute capability of a card.
struct OwnAttentionOnCuda : testing::TestWithParam<int> {
  const CpuAsCuda cuda{run_and_note, GetParam()};
  void SetUp() override { launched_kernels().clear(); }
};

TEST_P(OwnAttentionOnCuda, ErrorIsAtMostTwiceThatOfPyTorch) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const bool causal : {false, true}) {
      for (const std::int64_t d_head : {24, 64}) {
        SCOPED_TRACE(testing::Message() << toString(type) << " " << causal << " " << d_head);
        const AttentionInputs inputs =
            inputs_of({.queries = 75, .keys = 75, .d_head = d_head}, type);
        const auto exact = results(inputs, at::kDouble, formula(causal));
        const auto ours = results(inputs, type, attention_on_cuda(causal));
        const auto theirs = results(inputs, type, flash_attention(causal));
        expect_at_most_twice_the_error(ours, theirs, exact);
      }
    }
  }
}

TEST_P(OwnAttentionOnCuda, OddSizes) {
  for (const HeadSizes& sizes :
       {HeadSizes{.queries = 1, .keys = 1, .d_head = 1},
        HeadSizes{.queries = 3, .keys = 40, .d_head = 3},
        HeadSizes{.batch = 2, .heads = 6, .kv_heads = 2, .queries = 33, .keys = 33, .d_head = 32},
        HeadSizes{.heads = 3, .kv_heads = 1, .queries = 20, .keys = 50, .d_head = 100},
        HeadSizes{.queries = 35, .keys = 35, .d_head = 200}}) {
    for (const bool causal : {false, true}) {
      if (causal && sizes.queries != sizes.keys) continue;
      SCOPED_TRACE(testing::Message() << sizes << (causal ? " causal" : ""));
      const AttentionInputs inputs = inputs_of(sizes, at::kFloat);
      const auto exact = results(inputs, at::kDouble, formula(causal));
      const auto ours = results(inputs, at::kFloat, attention_on_cuda(causal));
      expect_close_in_fp32(ours, exact);
    }
  }
}

TEST_P(OwnAttentionOnCuda, AnyLayoutHasTheSameBitsAtEveryRun) {
  const AttentionInputs dense = inputs_of({.queries = 40, .keys = 40, .d_head = 32}, at::kBFloat16);
  const auto by_token = [](const at::Tensor& x) {
    return x.transpose(1, 2).contiguous().transpose(1, 2);
  };
  const auto first = results(dense, at::kBFloat16, attention_on_cuda(true));
  const auto again = results({dense.q, dense.k, dense.v, by_token(dense.d_o)}, at::kBFloat16,
                             [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                               return attend_own(true, by_token(q), by_token(k), by_token(v));
                             });
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(at::equal(first[i], again[i]));
}

TEST_P(OwnAttentionOnCuda, TheStageIsTheFastestOfTheCard) {
  const AttentionInputs inputs = inputs_of({.queries = 5, .keys = 5, .d_head = 32}, at::kFloat);
  const std::string of_16_bits = GetParam() >= 80 ? "tensor_core" : "tiled";
  for (const auto& [type, stage] :
       {std::pair(at::kFloat, std::string("tiled")), {at::kBFloat16, of_16_bits}}) {
    launched_kernels().clear();
    results(inputs, type, attention_on_cuda(true));
    const std::string ending = type == at::kFloat ? "_fp32_32" : "_bf16_32";
    EXPECT_EQ(
        launched_kernels(),
        (std::vector<std::string>{
            "attention_" + stage + "_forward" + ending, "attention_row_sums" + ending,
            "attention_" + stage + "_d_q" + ending, "attention_" + stage + "_d_kv" + ending}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, OwnAttentionOnCuda, testing::Values(75, 80, 90));

TEST(OwnAttentionOnOldCards, HasNoKernel) {
  const CpuAsCuda cuda(run_and_note, 70);
  const AttentionInputs inputs = inputs_of({.queries = 5, .keys = 5, .d_head = 32}, at::kFloat);
  EXPECT_THROW(attend_own(true, inputs.q, inputs.k, inputs.v), BadInput);
}

}  // namespace
}  // namespace ts::kernels
