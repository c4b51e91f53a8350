// Dropout: how much is dropped, which numbers, and what is kept for the backward.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "kernels/layers/dropout.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using spec::Pass, spec::WorkloadKind;

spec::WorkloadSpec dropping(spec::Checkpoint checkpoint = spec::Checkpoint::off) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  spec.attn_dropout = 0.2;
  spec.dropout = 0.1;
  spec.checkpoint = checkpoint;
  EXPECT_TRUE(spec::validate(spec).empty());
  return spec;
}

std::unique_ptr<TorchExecution> prepared(const spec::WorkloadSpec& spec) {
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  return std::move(*execution);
}

double loss_of_step(TorchExecution& execution, int step) {
  const auto times = execution.step(nullptr, step);
  EXPECT_TRUE(times);
  return times ? times->loss : 0;
}

// A hundred thousand numbers: the share is within five deviations of what was asked for.
TEST(Dropout, DropsItsShareAndScalesTheRest) {
  constexpr std::int64_t kNumbers = 100'000;
  for (const double share : {0.1, 0.5, 0.9}) {
    const at::Tensor left = drop(at::ones({kNumbers}), share);
    const double dropped = (left == 0).sum().item<double>() / kNumbers;
    EXPECT_NEAR(dropped, share, 5 * std::sqrt(share * (1 - share) / kNumbers));
    const at::Tensor kept = left.masked_select(left != 0);
    EXPECT_NEAR(kept.min().item<double>(), 1 / (1 - share), 1e-5);
    EXPECT_NEAR(kept.max().item<double>(), 1 / (1 - share), 1e-5);
  }
  const at::Tensor all = at::ones({8});
  EXPECT_TRUE(drop(all, 0).is_same(all));
}

// The numbers are those of the seed, whatever else is drawn and run in between.
TEST(Dropout, DrawsFromTheSeedOfItsRun) {
  const auto alone = prepared(dropping());
  std::vector<double> losses;
  for (int step = 0; step < 3; ++step) losses.push_back(loss_of_step(*alone, step));
  const auto again = prepared(dropping());
  spec::WorkloadSpec other_seed = dropping();
  other_seed.seed = 8;
  const auto other = prepared(other_seed);
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(loss_of_step(*again, step), losses[static_cast<std::size_t>(step)]);
    EXPECT_NE(loss_of_step(*other, step), losses[static_cast<std::size_t>(step)]);
    at::manual_seed(99);
  }
  spec::WorkloadSpec nothing = dropping();
  nothing.attn_dropout = nothing.dropout = 0;
  EXPECT_NE(loss_of_step(*prepared(nothing), 0), losses[0]);
}

// Operators that a checkpoint runs again drop the same numbers.
TEST(Dropout, IsTheSameWhenItRunsAgain) {
  const auto whole = prepared(dropping());
  loss_of_step(*whole, 0);
  for (const auto checkpoint : {spec::Checkpoint::blocks, spec::Checkpoint::attention}) {
    const auto again = prepared(dropping(checkpoint));
    loss_of_step(*again, 0);
    for (std::size_t i = 0; i < whole->parameters().size(); ++i) {
      const at::Tensor &a = whole->parameters()[i].tensor, &b = again->parameters()[i].tensor;
      EXPECT_LE((a.grad() - b.grad()).abs().max().item<double>(), 1e-6)
          << whole->parameters()[i].name;
    }
  }
}

// Blocks of exactly `size` bytes that a step of the dry run of fp32 attention makes.
std::int64_t blocks_of(std::int64_t size, spec::DeviceKind rules, double share,
                       spec::AttentionBackend backend) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::attention);
  spec.seq_len = 67;
  spec.attn_dropout = share;
  spec.backend = backend;
  base::StringTable strings;
  predict::DryRunOptions options;
  options.rules = rules;
  const auto dry = dry_runner().dry_run(spec, options, strings, {});
  EXPECT_TRUE(dry);
  std::int64_t count = 0;
  for (const memory::Block& block : dry->log.blocks()) count += block.size == size ? 1 : 0;
  return count;
}

// On a GPU a byte a number, on the CPU a factor of the type.
TEST(Dropout, KeepsAByteANumberOnAGpu) {
  constexpr std::int64_t kScores = 2 * 3 * 67 * 67;
  for (const auto backend : {spec::AttentionBackend::naive, spec::AttentionBackend::math}) {
    const auto more = [&](std::int64_t size, spec::DeviceKind rules) {
      return blocks_of(size, rules, 0.1, backend) - blocks_of(size, rules, 0, backend);
    };
    EXPECT_GT(more(kScores, spec::DeviceKind::cuda), 0);
    EXPECT_EQ(more(kScores, spec::DeviceKind::cpu), 0);
    EXPECT_GT(more(4 * kScores, spec::DeviceKind::cpu), more(4 * kScores, spec::DeviceKind::cuda));
  }
}

}  // namespace
}  // namespace ts::kernels
