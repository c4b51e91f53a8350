// The smallest and oddest sizes of every workload run, or have their sentence before.
#include <gtest/gtest.h>

#include <cmath>

#include "core/spec/spec_fields.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend;
using spec::Pass;
using spec::WorkloadKind;

constexpr std::array kWorkloads = {
    WorkloadKind::attention,     WorkloadKind::mlp, WorkloadKind::block, WorkloadKind::lm,
    WorkloadKind::weighted_sum,  WorkloadKind::toy, WorkloadKind::norm,  WorkloadKind::softmax,
    WorkloadKind::cross_entropy, WorkloadKind::vit, WorkloadKind::vlm};
constexpr std::array kBackends = {AttentionBackend::naive, AttentionBackend::math,
                                  AttentionBackend::flash, AttentionBackend::tiled,
                                  AttentionBackend::own,   AttentionBackend::automatic};

std::string text_of(const spec::WorkloadSpec& spec) {
  return std::string(to_string(spec.workload)) + " " + to_string(spec.backend) + " " +
         to_string(spec.pass) + " B=" + std::to_string(spec.batch) +
         " T=" + std::to_string(spec.seq_len) + " d_model=" + std::to_string(spec.d_model) +
         " d_head=" + std::to_string(spec.d_head) + " heads=" + std::to_string(spec.heads);
}

// The loss of the second step, which exists where there is a backward.
double loss_of(const spec::WorkloadSpec& spec) {
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  if (!execution) {
    ADD_FAILURE() << text_of(spec) << ": " << execution.error().sentence;
    return NAN;
  }
  double loss = 0;
  for (int i = 0; i < 2; ++i) {
    const auto times = (*execution)->step(nullptr, i);
    if (!times) {
      ADD_FAILURE() << text_of(spec) << ": " << times.error().sentence;
      return NAN;
    }
    loss = times->loss;
  }
  return loss;
}

// Runs with every backend, and with naive also on our own kernels; all find the same loss.
void expect_runs(spec::WorkloadSpec spec) {
  for (const Pass pass : {Pass::forward, Pass::forward_backward, Pass::full_step}) {
    spec.pass = pass;
    double first = NAN;
    for (const AttentionBackend backend : kBackends) {
      spec.backend = backend;
      if (spec.workload == WorkloadKind::attention && pass == Pass::full_step) continue;
      if (spec.workload == WorkloadKind::softmax && pass == Pass::full_step) continue;
      const auto problems = spec::validate(spec);
      ASSERT_TRUE(problems.empty()) << text_of(spec) << ": " << problems.front().sentence;
      const double loss = loss_of(spec);
      EXPECT_TRUE(std::isfinite(loss)) << text_of(spec);
      if (std::isnan(first)) first = loss;
      EXPECT_NEAR(loss, first, 1e-4 * (1 + std::abs(first))) << text_of(spec);
      if (backend == AttentionBackend::naive && spec::field_applies(spec, spec::Field::kernels)) {
        spec.kernels = spec::Kernels::own;
        EXPECT_NEAR(loss_of(spec), first, 1e-4 * (1 + std::abs(first))) << text_of(spec);
        spec.kernels = spec::Kernels::torch;
      }
      if (!spec::field_applies(spec, spec::Field::backend)) break;
    }
  }
}

TEST(OddSizes, OneTokenOfOneSequence) {
  for (const WorkloadKind workload : kWorkloads) {
    spec::WorkloadSpec spec = small_spec(workload);
    spec.batch = 1;
    spec.seq_len = 1;
    expect_runs(spec);
  }
}

TEST(OddSizes, HeadsOfOneNumber) {
  spec::WorkloadSpec spec = small_attention();
  spec.d_head = 1;
  spec.seq_len = 5;
  expect_runs(spec);
  for (const WorkloadKind workload : {WorkloadKind::block, WorkloadKind::lm}) {
    spec = small_spec(workload);
    spec.seq_len = 5;
    spec.heads = spec.d_model;
    const auto problems = spec::validate(spec);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().field, spec::Field::heads) << "rotary positions turn pairs";
    spec.positions = spec::Positions::learned;
    expect_runs(spec);
  }
}

TEST(OddSizes, EverythingIsOne) {
  for (const WorkloadKind workload : kWorkloads) {
    spec::WorkloadSpec spec = small_spec(workload);
    spec.batch = spec.seq_len = spec.heads = spec.d_head = spec.d_model = spec.d_ff = spec.layers =
        1;
    spec.image = spec.patch = spec.image_tokens = spec.encoder_width = spec.encoder_heads =
        spec.encoder_layers = spec.encoder_ff = 1;
    spec.vocab = 2;
    spec.positions = spec::Positions::none;
    expect_runs(spec);
  }
}

TEST(OddSizes, SequencesThatTilesDoNotDivide) {
  for (const WorkloadKind workload : {WorkloadKind::attention, WorkloadKind::lm}) {
    for (const bool causal : {false, true}) {
      spec::WorkloadSpec spec = small_spec(workload);
      spec.seq_len = 13;
      spec.causal = causal;
      spec.tile_q = 5;
      spec.tile_k = 4;
      expect_runs(spec);
      spec.tile_q = 64;  // larger than the sequence
      expect_runs(spec);
    }
  }
}

TEST(OddSizes, GenerationFromOneToken) {
  for (const bool cache : {false, true}) {
    spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::generate);
    spec.batch = 1;
    spec.seq_len = 1;
    spec.new_tokens = 1;
    spec.kv_cache = cache;
    auto execution = engine().prepare(spec, kPlenty, nullptr, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    const auto times = (*execution)->step(nullptr, 0);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_EQ((*execution)->facts().generated.size(), 1U);
    EXPECT_EQ(times->decode_ns, 0) << "the one token comes from the prompt";
  }
}

// A step whose loss is no number is a result, and the execution goes on.
TEST(OddSizes, ALossThatIsNoNumberEndsNothing) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  spec.optimizer = spec::OptimizerKind::sgd;
  spec.learning_rate = 1000;
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  bool finite = true;
  for (int i = 0; i < 12; ++i) {
    const auto times = (*execution)->step(nullptr, i);
    ASSERT_TRUE(times) << times.error().sentence;
    finite = finite && std::isfinite(times->loss);
  }
  EXPECT_FALSE(finite) << "a learning rate of 1,000 leaves the range of fp32";
}

}  // namespace
}  // namespace ts::kernels
