// Parts that are not trained: no gradients, no state, no activations that wait for them.
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/workload_math.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using memory::Category;
using spec::Frozen, spec::Pass, spec::WorkloadKind;

struct FrozenCase {
  const char* name;
  spec::WorkloadSpec spec;
  std::vector<const char*> trained;  // beginnings of the names of parameters that are
};

spec::WorkloadSpec small_vlm(Frozen frozen) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::vlm, Pass::full_step);
  spec.frozen = frozen;
  spec.learning_rate = 0.02;
  return spec;
}

spec::WorkloadSpec partly_frozen(WorkloadKind workload, std::int64_t frozen) {
  spec::WorkloadSpec spec = small_spec(workload, Pass::full_step);
  spec.frozen_layers = frozen;
  spec.learning_rate = 0.02;
  return spec;
}

spec::WorkloadSpec with_checkpoints(spec::WorkloadSpec spec) {
  spec.checkpoint = spec::Checkpoint::blocks;
  return spec;
}

std::vector<FrozenCase> frozen_cases() {
  return {
      {"encoder", small_vlm(Frozen::encoder), {"projector.", "language."}},
      {"language", small_vlm(Frozen::language), {"projector.", "encoder."}},
      {"both", small_vlm(Frozen::both), {"projector."}},
      {"both_checkpointed", with_checkpoints(small_vlm(Frozen::both)), {"projector."}},
      {"encoder_checkpointed",
       with_checkpoints(small_vlm(Frozen::encoder)),
       {"projector.", "language."}},
      {"lm", partly_frozen(WorkloadKind::lm, 1), {"blocks.1.", "norm.", "head."}},
      {"lm_checkpointed",
       with_checkpoints(partly_frozen(WorkloadKind::lm, 1)),
       {"blocks.1.", "norm.", "head."}},
      {"lm_head", partly_frozen(WorkloadKind::lm, 2), {"norm.", "head."}},
      {"vit", partly_frozen(WorkloadKind::vit, 1), {"blocks.1.", "norm.", "head."}},
      {"vit_head", with_checkpoints(partly_frozen(WorkloadKind::vit, 2)), {"norm.", "head."}},
  };
}

bool trains_here(const FrozenCase& one, std::string_view name) {
  return std::ranges::any_of(one.trained,
                             [&](const char* begin) { return name.starts_with(begin); });
}

struct FrozenParts : testing::TestWithParam<FrozenCase> {};

TEST_P(FrozenParts, StayAsTheyAreWhileTheOthersLearn) {
  const FrozenCase& one = GetParam();
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
    EXPECT_EQ(parameter.tensor.grad().defined(), trains_here(one, parameter.name))
        << parameter.name;
    EXPECT_EQ(at::equal(parameter.tensor, before[i]), !trains_here(one, parameter.name))
        << parameter.name;
  }
}

std::int64_t bytes_at(const predict::DryRun& run, memory::EventIndex event, Category category) {
  return run.log.by_category_after(event)[static_cast<std::size_t>(category)];
}

predict::DryRun dry_run_of(const spec::WorkloadSpec& spec, base::StringTable& strings) {
  predict::DryRunOptions options;
  options.rules = spec::DeviceKind::cpu;
  auto run = dry_runner().dry_run(spec, options, strings, {});
  EXPECT_TRUE(run) << run.error().sentence;
  return std::move(*run);
}

TEST_P(FrozenParts, ThePredictionIsTheRunEventByEvent) {
  const FrozenCase& one = GetParam();
  RealRun real;
  run_for_real(one.spec, 2, real);
  ASSERT_FALSE(HasFatalFailure());
  base::StringTable strings;
  const predict::DryRun run = dry_run_of(one.spec, strings);
  EXPECT_EQ(first_difference(seen_events(run.log, strings),
                             seen_events(real.recorded.memory, real.recorded.strings)),
            "");
  EXPECT_EQ(run.log.peak_bytes(), real.peak);
  // 4 bytes of gradient and 8 of moments for each number that is trained.
  const auto last = static_cast<memory::EventIndex>(run.log.events().size() - 1);
  EXPECT_EQ(run.trained, spec::trained_count(one.spec));
  EXPECT_EQ(bytes_at(run, last, Category::parameter), 4 * run.parameters);
  EXPECT_EQ(bytes_at(run, last, Category::gradient), 4 * run.trained);
  const std::int64_t moments = bytes_at(run, last, Category::optimizer_state);
  EXPECT_GE(moments, 8 * run.trained);
  EXPECT_LE(moments, 8 * run.trained + 4096) << "and the counts of the steps";
}

INSTANTIATE_TEST_SUITE_P(All, FrozenParts, testing::ValuesIn(frozen_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// Activations that wait when the backward begins.
std::int64_t waiting_bytes(const spec::WorkloadSpec& spec, std::string_view prefix) {
  base::StringTable strings;
  const predict::DryRun run = dry_run_of(spec, strings);
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

TEST(FrozenEncoder, LeavesNothingForTheBackward) {
  EXPECT_GT(waiting_bytes(small_vlm(Frozen::none), "encoder."), 50'000);
  EXPECT_EQ(waiting_bytes(small_vlm(Frozen::encoder), "encoder.blocks"), 0);
  // Gradients pass through a frozen language model on their way to the projector.
  EXPECT_GT(waiting_bytes(small_vlm(Frozen::both), "language.blocks"), 100'000);
  EXPECT_EQ(waiting_bytes(partly_frozen(WorkloadKind::lm, 2), "blocks."), 0);
  // Behind adapters nothing but the language model waits.
  spec::WorkloadSpec adapted = small_vlm(Frozen::none);
  adapted.lora_rank = 5;
  EXPECT_EQ(waiting_bytes(adapted, "encoder"), 0);
  EXPECT_EQ(waiting_bytes(adapted, "projector"), 0);
  EXPECT_GT(waiting_bytes(adapted, "language.blocks"), 50'000);
}

}  // namespace
}  // namespace ts::kernels
