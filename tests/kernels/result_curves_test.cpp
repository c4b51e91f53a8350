// How the numbers come about of the workloads that are about numbers, computed again one by one.
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/report/result_curves.h"
#include "core/spec/presets.h"
#include "tests/kernels/attention_reference.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::WorkloadKind;

spec::WorkloadSpec preset(WorkloadKind kind, const char* id) {
  spec::WorkloadSpec spec;
  spec::apply_preset(*spec::find_preset(kind, id), spec);
  return spec;
}

run::ExecutionFacts facts_after_a_step(const spec::WorkloadSpec& spec) {
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  EXPECT_TRUE((*execution)->facts().curves.empty()) << "nothing ran yet";
  EXPECT_TRUE((*execution)->step(nullptr, 0));
  const run::ExecutionFacts facts = (*execution)->facts();
  EXPECT_EQ((*execution)->facts(), facts);
  return facts;
}

// After each addition, the sum kept in one type and the term in another.
template <class Sum, class Term>
std::vector<double> sums_of(std::size_t additions) {
  const Term term(0.01F);
  Sum sum(0.0F);
  std::vector<double> all;
  for (std::size_t i = 0; i < additions; ++i) {
    sum = Sum(static_cast<float>(sum) + static_cast<float>(term));
    all.push_back(static_cast<double>(static_cast<float>(sum)));
  }
  return all;
}

TEST(RunningSums, AreThoseOfAdditionsOneByOne) {
  spec::WorkloadSpec spec = preset(WorkloadKind::accumulation, "a2-sums");
  const std::vector<double> expected[] = {
      sums_of<float, float>(1000), sums_of<c10::Half, c10::Half>(1000),
      sums_of<c10::BFloat16, c10::BFloat16>(1000), sums_of<float, c10::Half>(1000),
      sums_of<float, c10::Half>(1000)};
  const run::ExecutionFacts facts = facts_after_a_step(spec);
  ASSERT_EQ(facts.curves.size(), 6U);
  for (std::size_t i = 0; i < facts.curves.size(); ++i) {
    const run::ResultCurve& curve = facts.curves[i];
    ASSERT_EQ(curve.x.size(), 512U);
    ASSERT_EQ(curve.y.size(), 512U);
    EXPECT_EQ(curve.x.back(), 1000);
    EXPECT_TRUE(std::is_sorted(curve.x.begin(), curve.x.end()));
    for (std::size_t at = 0; at < curve.x.size(); ++at) {
      const auto additions = static_cast<std::size_t>(curve.x[at]);
      if (i == 5) {
        EXPECT_DOUBLE_EQ(curve.y[at], 0.01 * curve.x[at]);
      } else {
        ASSERT_EQ(curve.y[at], expected[i][additions - 1]) << curve.name << " " << additions;
      }
    }
    if (i < 5) {
      EXPECT_EQ(curve.name, facts.results[i].name);
      EXPECT_EQ(curve.y.back(), facts.results[i].value) << "the sum of the step";
    }
  }
  // labs.md, A2-10: bf16 stalls at 4.
  EXPECT_EQ(report::largest_of(facts, "bf16 += bf16"), 4.0);
  EXPECT_EQ(facts.curves.back().name, report::kExactCurve);
}

TEST(RunningSums, OfFewAdditionsAreAllThere) {
  spec::WorkloadSpec spec = preset(WorkloadKind::accumulation, "a2-sums");
  for (const std::int64_t additions : {1, 7, 512, 513}) {
    spec.seq_len = additions;
    const run::ExecutionFacts facts = facts_after_a_step(spec);
    EXPECT_EQ(facts.curves.front().x.size(),
              static_cast<std::size_t>(std::min<std::int64_t>(additions, 512)));
    EXPECT_EQ(facts.curves.front().x.back(), static_cast<double>(additions));
  }
}

// LayerNorm in fp64 loops of x rounded to T, and how far the same rounded to T is from it, over the
// largest.
template <class T>
double rounding_error(const std::vector<double>& x, std::size_t width, double scale) {
  double largest = 0, difference = 0;
  for (std::size_t row = 0; row < x.size(); row += width) {
    std::vector<double> in(width);
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const float scaled = static_cast<float>(x[row + i]) * static_cast<float>(scale);
      in[i] = static_cast<double>(static_cast<float>(T(scaled)));
      mean += in[i] / static_cast<double>(width);
    }
    for (const double one : in) square += (one - mean) * (one - mean) / static_cast<double>(width);
    for (const double one : in) {
      const double exact = (one - mean) / std::sqrt(square + 1e-5);
      const auto rounded = static_cast<double>(static_cast<float>(T(static_cast<float>(exact))));
      largest = std::max(largest, std::abs(exact));
      difference = std::max(difference, std::abs(rounded - exact));
    }
  }
  return difference / largest;
}

const run::ResultCurve& curve_of(const run::ExecutionFacts& facts, std::string_view name) {
  const auto found = std::find_if(facts.curves.begin(), facts.curves.end(),
                                  [&](const run::ResultCurve& one) { return one.name == name; });
  EXPECT_NE(found, facts.curves.end()) << name;
  return *found;
}

TEST(LayerNormRange, WithStatisticsInFp32OnlyTheResultIsRounded) {
  const spec::WorkloadSpec spec = preset(WorkloadKind::layernorm, "a2-12");
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const std::vector<double> x = values((*execution)->inputs()[0]);
  ASSERT_TRUE((*execution)->step(nullptr, 0));
  const run::ExecutionFacts facts = (*execution)->facts();
  const auto width = static_cast<std::size_t>(spec.d_model);
  for (std::size_t i = 0; i < 22; ++i) {
    const run::ResultCurve& half = curve_of(facts, "fp16 (mean, var fp32)");
    ASSERT_EQ(half.x.size(), 22U);
    const double scale = half.x[i];
    EXPECT_NEAR(half.y[i], rounding_error<c10::Half>(x, width, scale), 0.1 * half.y[i]) << scale;
    const run::ResultCurve& brain = curve_of(facts, "bf16 (mean, var fp32)");
    EXPECT_NEAR(brain.y[i], rounding_error<c10::BFloat16>(x, width, scale), 0.1 * brain.y[i])
        << scale;
  }
  EXPECT_DOUBLE_EQ(facts.curves.front().x.front(), 1e-3);
  EXPECT_DOUBLE_EQ(facts.curves.front().x.back(), 1e4);
}

// dtype does not apply here.
TEST(LayerNormRange, StartsFromTheSameNumbersWhateverTheType) {
  spec::WorkloadSpec spec = preset(WorkloadKind::layernorm, "a2-12");
  spec.batch = 1;
  spec.seq_len = 4;
  const run::ExecutionFacts facts = facts_after_a_step(spec);
  spec.dtype = spec::DataType::bf16;
  EXPECT_EQ(facts_after_a_step(spec).curves, facts.curves);
}

// labs.md, A2-12: squares of fp16 overflow above 65,504, bf16 has the range and few digits.
TEST(LayerNormRange, ShowsWhatTheExerciseAsksFor) {
  const run::ExecutionFacts facts = facts_after_a_step(preset(WorkloadKind::layernorm, "a2-12"));
  ASSERT_EQ(facts.curves.size(), 5U);
  ASSERT_EQ(facts.results.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(facts.results[i].name, facts.curves[i].name);
    EXPECT_EQ(facts.results[i].value > 0, facts.results[i].name == "fp16");
  }
  EXPECT_LT(*report::largest_of(facts, "fp32"), 1e-6);
  EXPECT_LT(*report::largest_of(facts, "bf16"), 0.05);
  EXPECT_GT(*report::largest_of(facts, "bf16"), 1e-3);
  const run::ResultCurve& fp16 = curve_of(facts, "fp16");
  for (std::size_t i = 0; i < fp16.x.size(); ++i) {
    // The largest of these numbers is about 4.5: its square overflows from a scale of 57 on, and
    // every row has one above 2.2 for a scale of 120.
    const double scale = fp16.x[i];
    if (scale > 0.5 && scale < 50) {
      EXPECT_LT(fp16.y[i], 5e-3) << scale;
    }
    if (scale > 120) {
      EXPECT_EQ(fp16.y[i], 1) << "1 / sqrt(inf) is 0, at " << scale;
    }
  }
}

}  // namespace
}  // namespace ts::kernels
