// Parts that are not trained: no gradients, no state, no activations that wait for them.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/workload_math.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using memory::Category;
using spec::Frozen, spec::Pass, spec::WorkloadKind;

struct Case {
  const char* name;
  spec::WorkloadSpec spec;
  std::vector<const char*> trained;  // beginnings of the names of parameters that are
};

spec::WorkloadSpec joined(Frozen frozen) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::vlm, Pass::full_step);
  spec.frozen = frozen;
  spec.learning_rate = 0.02;
  return spec;
}

spec::WorkloadSpec stacked(WorkloadKind workload, std::int64_t frozen) {
  spec::WorkloadSpec spec = small_spec(workload, Pass::full_step);
  spec.frozen_layers = frozen;
  spec.learning_rate = 0.02;
  return spec;
}

spec::WorkloadSpec checkpointed(spec::WorkloadSpec spec) {
  spec.checkpoint = spec::Checkpoint::blocks;
  return spec;
}

std::vector<Case> cases() {
  return {
      {"encoder", joined(Frozen::encoder), {"projector.", "language."}},
      {"language", joined(Frozen::language), {"projector.", "encoder."}},
      {"both", joined(Frozen::both), {"projector."}},
      {"both_checkpointed", checkpointed(joined(Frozen::both)), {"projector."}},
      {"encoder_checkpointed", checkpointed(joined(Frozen::encoder)), {"projector.", "language."}},
      {"lm", stacked(WorkloadKind::lm, 1), {"blocks.1.", "norm.", "head."}},
      {"lm_checkpointed",
       checkpointed(stacked(WorkloadKind::lm, 1)),
       {"blocks.1.", "norm.", "head."}},
      {"lm_head", stacked(WorkloadKind::lm, 2), {"norm.", "head."}},
      {"vit", stacked(WorkloadKind::vit, 1), {"blocks.1.", "norm.", "head."}},
      {"vit_head", checkpointed(stacked(WorkloadKind::vit, 2)), {"norm.", "head."}},
  };
}

bool is_trained(const Case& one, std::string_view name) {
  return std::ranges::any_of(one.trained,
                             [&](const char* begin) { return name.starts_with(begin); });
}

struct FrozenParts : testing::TestWithParam<Case> {};

TEST_P(FrozenParts, StayAsTheyAreWhileTheOthersLearn) {
  const Case& one = GetParam();
  ASSERT_TRUE(spec::validate(one.spec).empty());
  auto prepared = engine().prepare_execution(one.spec, kPlenty, nullptr, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  const auto& execution = *prepared;
  EXPECT_EQ(execution->facts().parameters, spec::parameter_count(one.spec));
  EXPECT_EQ(execution->facts().trained, spec::trained_count(one.spec));
  EXPECT_LT(execution->facts().trained, execution->facts().parameters);
  std::vector<at::Tensor> before;
  for (const Parameter& parameter : execution->parameters())
    before.push_back(parameter.tensor.detach().clone());
  const double first = execution->step(nullptr, 0).value().loss;
  double last = first;
  for (int i = 1; i < 30; ++i) last = execution->step(nullptr, i).value().loss;
  EXPECT_LT(last, first);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Parameter& parameter = execution->parameters()[i];
    EXPECT_EQ(parameter.tensor.grad().defined(), is_trained(one, parameter.name)) << parameter.name;
    EXPECT_EQ(at::equal(parameter.tensor, before[i]), !is_trained(one, parameter.name))
        << parameter.name;
  }
}

std::int64_t held_at(const predict::DryRun& run, memory::EventIndex event, Category category) {
  return run.log.by_category_after(event)[static_cast<std::size_t>(category)];
}

predict::DryRun predicted(const spec::WorkloadSpec& spec, base::StringTable& strings) {
  predict::DryRunOptions options;
  options.rules = spec::DeviceKind::cpu;
  auto run = dry_runner().dry_run(spec, options, strings, {});
  EXPECT_TRUE(run) << run.error().sentence;
  return std::move(*run);
}

TEST_P(FrozenParts, ThePredictionIsTheRunEventByEvent) {
  const Case& one = GetParam();
  RealRun real;
  run_for_real(one.spec, 2, real);
  ASSERT_FALSE(HasFatalFailure());
  base::StringTable strings;
  const predict::DryRun run = predicted(one.spec, strings);
  EXPECT_EQ(first_difference(seen_events(run.log, strings),
                             seen_events(real.recorded.memory, real.recorded.strings)),
            "");
  EXPECT_EQ(run.log.peak_bytes(), real.peak);
  // 4 bytes of gradient and 8 of moments for each number that is trained.
  const auto last = static_cast<memory::EventIndex>(run.log.events().size() - 1);
  EXPECT_EQ(run.trained, spec::trained_count(one.spec));
  EXPECT_EQ(held_at(run, last, Category::parameter), 4 * run.parameters);
  EXPECT_EQ(held_at(run, last, Category::gradient), 4 * run.trained);
  const std::int64_t moments = held_at(run, last, Category::optimizer_state);
  EXPECT_GE(moments, 8 * run.trained);
  EXPECT_LE(moments, 8 * run.trained + 4096) << "and the counts of the steps";
}

INSTANTIATE_TEST_SUITE_P(All, FrozenParts, testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// Activations that wait when the backward begins.
std::int64_t waiting(const spec::WorkloadSpec& spec, std::string_view prefix) {
  base::StringTable strings;
  const predict::DryRun run = predicted(spec, strings);
  memory::EventIndex begin = 0;
  for (const memory::PhaseSpan& span : run.log.phases()) {
    if (span.phase == base::Phase::backward && span.step == 0) begin = span.first_event;
  }
  std::int64_t bytes = 0;
  for (const memory::Block& block : run.log.blocks()) {
    const bool lives = block.alloc_event < begin && block.free_event >= begin;
    if (lives && block.step == 0 && strings.view(block.module).starts_with(prefix))
      bytes += block.size;
  }
  return bytes;
}

TEST(FrozenParts, AFrozenEncoderLeavesNothingForTheBackward) {
  EXPECT_GT(waiting(joined(Frozen::none), "encoder."), 100'000);
  EXPECT_EQ(waiting(joined(Frozen::encoder), "encoder.blocks"), 0);
  // Gradients pass through a frozen language model on their way to the projector.
  EXPECT_GT(waiting(joined(Frozen::both), "language.blocks"), 100'000);
  EXPECT_EQ(waiting(stacked(WorkloadKind::lm, 2), "blocks."), 0);
}

}  // namespace
}  // namespace ts::kernels
