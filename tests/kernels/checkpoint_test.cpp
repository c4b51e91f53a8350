#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "kernels/engine/dry_runner.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using memory::Category;
using spec::AttentionBackend;
using spec::Checkpoint;
using spec::WorkloadKind;

spec::WorkloadSpec deep_spec() {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.layers = 5;
  return spec;
}

struct Outcome {
  double loss = 0;
  std::vector<at::Tensor> gradients;
  std::int64_t peak = 0;
};

Outcome outcome_of(const spec::WorkloadSpec& spec) {
  EXPECT_TRUE(spec::validate(spec).empty());
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  const auto times = (*execution)->step(nullptr, 0);
  EXPECT_TRUE(times) << times.error().sentence;
  Outcome outcome;
  outcome.loss = times->loss;
  outcome.peak = (*execution)->memory().peak;
  for (const Parameter& parameter : (*execution)->parameters()) {
    outcome.gradients.push_back(parameter.tensor.grad().clone());
  }
  return outcome;
}

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.loss, b.loss);
  ASSERT_EQ(a.gradients.size(), b.gradients.size());
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    EXPECT_TRUE(a.gradients[i].equal(b.gradients[i])) << i;
  }
}

struct Checkpointed
    : testing::TestWithParam<std::tuple<WorkloadKind, AttentionBackend, spec::Autocast>> {};

// Computing again is computing the same, to the last bit, and holds less meanwhile.
TEST_P(Checkpointed, GivesTheSameGradients) {
  spec::WorkloadSpec spec = deep_spec();
  std::tie(spec.workload, spec.backend, spec.autocast) = GetParam();
  const Outcome plain = outcome_of(spec);
  for (const auto mode : {Checkpoint::blocks, Checkpoint::attention}) {
    spec.checkpoint = mode;
    for (const std::int64_t every : {1, 2, 9}) {
      spec.checkpoint_every = every;
      const Outcome again = outcome_of(spec);
      expect_same(again, plain);
      if (mode == Checkpoint::blocks && every == 1 && spec.workload == WorkloadKind::lm) {
        EXPECT_LT(again.peak, plain.peak);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Checkpointed,
    testing::Combine(testing::Values(WorkloadKind::lm, WorkloadKind::block),
                     testing::Values(AttentionBackend::naive, AttentionBackend::flash,
                                     AttentionBackend::tiled, AttentionBackend::own),
                     testing::Values(spec::Autocast::off, spec::Autocast::bf16)));

struct CheckpointRecord : testing::Test {
  void record(Checkpoint mode) {
    spec::WorkloadSpec spec = deep_spec();
    spec.checkpoint = mode;
    stream = spec.batch * spec.seq_len * spec.d_model * 4;
    square = spec.batch * spec.heads * spec.seq_len * spec.seq_len * 4;
    layers = static_cast<int>(spec.layers);
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
    recorded.drain();
  }
  // Activations born in the forward of a block.
  std::vector<std::int64_t> kept_by_blocks() const {
    std::vector<std::int64_t> sizes;
    for (const memory::Block& block : recorded.memory.blocks()) {
      const bool forward = block.phase == base::Phase::forward;
      if (!forward || block.category != Category::activation) continue;
      if (recorded.text(block.module).starts_with("blocks.")) sizes.push_back(block.size);
    }
    return sizes;
  }
  Recorded recorded;
  std::int64_t stream = 0, square = 0;
  int layers = 0;
};

TEST_F(CheckpointRecord, BlocksKeepTheirInputsOnly) {
  record(Checkpoint::blocks);
  EXPECT_EQ(kept_by_blocks(), std::vector<std::int64_t>(static_cast<std::size_t>(layers), stream));
}

TEST_F(CheckpointRecord, SelectiveKeepsNoScores) {
  record(Checkpoint::attention);
  const auto kept = kept_by_blocks();
  EXPECT_GT(kept.size(), static_cast<std::size_t>(5 * layers));
  EXPECT_EQ(std::count(kept.begin(), kept.end(), square), 0);
}

TEST_F(CheckpointRecord, WithoutItScoresAreKept) {
  record(Checkpoint::off);
  const auto kept = kept_by_blocks();
  EXPECT_GE(std::count(kept.begin(), kept.end(), square), layers);
}

// The last block first, each once, and nothing else; predicted as it is measured.
TEST_F(CheckpointRecord, WhatRunsAgainIsMarkedInTheLog) {
  using Modules = std::vector<std::pair<std::string, std::string>>;
  const auto modules = [](const memory::AllocationLog& log, const base::StringTable& strings) {
    Modules found;
    for (const memory::RecomputeSpan& span : log.recomputations()) {
      EXPECT_LT(span.first_event, span.end_event);
      EXPECT_NE(span.end_event, memory::kNone);
      for (memory::EventIndex i = span.first_event; i < span.end_event; ++i) {
        const memory::BlockIndex block = log.events()[i].block;
        if (log.events()[i].action != memory::Action::alloc) continue;
        EXPECT_EQ(log.blocks()[block].phase, base::Phase::backward);
      }
      found.emplace_back(strings.view(span.first_module), strings.view(span.last_module));
    }
    return found;
  };
  TorchDryRunner runner;
  for (const auto mode : {Checkpoint::blocks, Checkpoint::attention, Checkpoint::off}) {
    recorded.memory = {};
    recorded.records.clear();
    record(mode);
    const Modules again = modules(recorded.memory, recorded.strings);
    ASSERT_EQ(again.size(), mode == Checkpoint::off ? 0U : static_cast<std::size_t>(layers));
    for (std::size_t i = 0; i < again.size(); ++i) {
      const std::string block = "blocks." + std::to_string(again.size() - 1 - i);
      const std::string first = mode == Checkpoint::blocks ? block : block + ".attn";
      EXPECT_TRUE(again[i].first.starts_with(first)) << again[i].first;
      EXPECT_TRUE(again[i].second.starts_with(block)) << again[i].second;
    }
    spec::WorkloadSpec spec = deep_spec();
    spec.checkpoint = mode;
    base::StringTable strings;
    predict::DryRunOptions options;
    options.steps = 1;
    options.rules = spec::DeviceKind::cpu;
    auto predicted = runner.dry_run(spec, options, strings, {});
    ASSERT_TRUE(predicted) << predicted.error().sentence;
    EXPECT_EQ(modules(predicted->log, strings), again);
  }
}

// Operators that run again in the backward belong to the layers they ran in before. So do gradients
// that come of it.
TEST_F(CheckpointRecord, RunsAgainUnderItsModules) {
  record(Checkpoint::blocks);
  std::set<std::string> again, gradients;
  for (const capture::RawRecord& op : recorded.of_kind(capture::RawKind::op)) {
    if (op.phase != base::Phase::backward) continue;
    const std::string name = recorded.text(op.name);
    const bool product = name == "aten::mm" || name == "aten::bmm";
    EXPECT_TRUE(!product || op.module != base::kNoString) << name;
    if (name == "aten::linear" && !op.backward) again.insert(recorded.text(op.module));
    if (name == "aten::mm" && op.backward) gradients.insert(recorded.text(op.module));
  }
  EXPECT_EQ(again.size(), static_cast<std::size_t>(7 * layers));
  EXPECT_TRUE(again.contains("blocks.4.attn.q_proj"));
  EXPECT_EQ(gradients.size(), static_cast<std::size_t>(7 * layers + 1));  // and the head
  EXPECT_TRUE(gradients.contains("blocks.0.ffn.w2"));
}

}  // namespace
}  // namespace ts::kernels
