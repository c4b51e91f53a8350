// Mixtures of experts: their load, and what is dropped.
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/layers/experts.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using spec::Pass, spec::WorkloadKind;

spec::WorkloadSpec mixture(double capacity) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  spec.experts = 4;
  spec.capacity = capacity;
  EXPECT_TRUE(spec::validate(spec).empty());
  return spec;
}

double result(const run::ExecutionFacts& facts, const std::string& name) {
  for (const run::NamedNumber& number : facts.results) {
    if (number.name == name) return number.value;
  }
  ADD_FAILURE() << name;
  return -1;
}

run::ExecutionFacts facts_after_a_step(const spec::WorkloadSpec& spec) {
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  EXPECT_TRUE((*execution)->step(nullptr, 0));
  return (*execution)->facts();
}

TEST(Experts, TellTheirLoad) {
  const run::ExecutionFacts all = facts_after_a_step(mixture(0));
  const double most = result(all, "expert_load_max");
  EXPECT_GT(most, 1) << "no router is even at the start";
  EXPECT_LT(most, 2.1) << "of two choices of four experts";
  EXPECT_EQ(result(all, "expert_dropped_share"), 0);
  const double dropped = result(facts_after_a_step(mixture(0.5)), "expert_dropped_share");
  EXPECT_GE(dropped, 0.5) << "half of the choices can have a place at most";
  EXPECT_LT(dropped, 1);
  spec::WorkloadSpec one = mixture(0);
  one.experts = 0;
  EXPECT_TRUE(facts_after_a_step(one).results.empty());
}

// The choices are counted where they are made: per token as many as there are experts for it.
TEST(Experts, CountEveryChoice) {
  Builder builder(at::kCPU, at::kFloat, 3);
  const spec::Experts settings{.count = 5, .per_token = 2, .capacity = 0.8, .hidden = 20};
  const Experts experts(builder, "ffn", 12, settings, {});
  const at::Tensor x = builder.normal_input({3, 7, 12}, false);
  EXPECT_EQ(experts.forward(x).sizes(), x.sizes());
  const auto load = experts.load();
  EXPECT_EQ(std::accumulate(load.begin(), load.end(), std::int64_t{0}), 2 * 21);
  EXPECT_EQ(experts.room(), 7) << "0.8 * 42 / 5, rounded up";
}

// Memory follows from the sizes: the places, whatever the router chooses.
TEST(Experts, NeedMemoryByTheirPlaces) {
  const auto peak = [](double capacity) {
    spec::WorkloadSpec spec = mixture(capacity);
    spec.d_ff = 512;
    base::StringTable strings;
    predict::DryRunOptions options;
    options.rules = spec::DeviceKind::cpu;
    const auto dry = dry_runner().dry_run(spec, options, strings, {});
    EXPECT_TRUE(dry);
    return dry->log.peak_bytes();
  };
  EXPECT_GT(peak(2), peak(1));
  EXPECT_EQ(peak(2), peak(0)) << "two of four experts for each token: both have room for all";
}

}  // namespace
}  // namespace ts::kernels
