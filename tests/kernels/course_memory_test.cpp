// The course's formulas of memory against the dry run by the rules of CUDA. The
// table is in docs/labs.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/predict/prediction.h"
#include "core/text/numbers.h"
#include "kernels/engine/dry_runner.h"
#include "tests/spec/preset_spec.h"

namespace ts::kernels {
namespace {

using memory::Category;

predict::DryRun dry_run(const spec::WorkloadSpec& spec, base::StringTable& strings) {
  TorchDryRunner runner;
  auto run = runner.dry_run(spec, {}, strings, {});
  EXPECT_TRUE(run.has_value());
  return std::move(*run);
}

// Blocks of exactly that size in a module whose path has that in it.
std::int64_t blocks_of(const predict::DryRun& run, const base::StringTable& strings,
                       std::int64_t bytes, std::string_view module) {
  const auto blocks = run.log.blocks();
  return std::count_if(blocks.begin(), blocks.end(), [&](const memory::Block& block) {
    return block.size == bytes && strings.view(block.module).find(module) != std::string::npos;
  });
}

// The course counts three in the backward. On cuda softmax's backward makes another, the gradient
// times the result; measured on an H200 at T = 4,096.
TEST(CourseMemory, NaiveAttentionHoldsTwoSquaresForwardAndFourBackward) {
  for (const std::int64_t length : {4096, 8192}) {
    spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::attention, "a2-grid");
    spec.d_head = 16;
    spec.seq_len = length;
    const std::int64_t square = 4 * spec.batch * length * length;
    const std::int64_t linear = 4 * spec.batch * length * spec.d_head;  // Q, as large as K, V, O
    base::StringTable strings;
    spec.pass = spec::Pass::forward;
    spec.keep_graph = false;
    EXPECT_EQ(dry_run(spec, strings).log.peak_bytes(), 2 * square + 3 * linear);
    spec.pass = spec::Pass::forward_backward;
    const std::int64_t backward = dry_run(spec, strings).log.peak_bytes();
    EXPECT_GE(backward, 4 * square + 3 * linear);
    EXPECT_LE(backward, 4 * square + 8 * linear);
  }
}

// labs.md, M-1: the published column is what memory_allocated() says before a backward that follows
// earlier ones, whose gradients are still there. A card of compute capability 8.9, as the published
// one.
TEST(CourseMemory, SelfAttentionBeforeItsBackwardHoldsWhatIsPublished) {
  struct Row {
    std::int64_t d_head, length;
    const char* published;  // MiB
  };
  for (const Row& row : {Row{16, 256, "19.006"},
                         {16, 1024, "51.256"},
                         {16, 4096, "540.256"},
                         {16, 8192, "2,088.256"},
                         {32, 256, "19.774"},
                         {32, 1024, "54.274"}}) {
    spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::attention, "a2-w1");
    spec.d_head = row.d_head;
    spec.seq_len = row.length;
    spec.zero_grad = spec::ZeroGrad::zero;
    predict::PredictionTarget target;
    target.memory = std::int64_t{1} << 40;
    target.compute_capability = 89;
    TorchDryRunner runner;
    base::StringTable strings;
    const auto run = runner.dry_run(spec, predict::dry_run_options(target), strings, {});
    ASSERT_TRUE(run) << run.error().sentence;
    const predict::Prediction prediction =
        predict::predict(*run, strings, target, allocator::AllocatorSettings(), nullptr);
    ASSERT_TRUE(prediction.before_backward);
    constexpr std::int64_t kWorkspaces = 2 * ((8 << 20) + (128 << 10));
    const std::int64_t linear = 4 * spec.batch * row.length * row.d_head;
    const std::int64_t square = 4 * spec.batch * row.length * row.length;
    const std::int64_t weights = 4 * row.d_head * row.d_head;
    EXPECT_EQ(*prediction.before_backward,
              kWorkspaces + square + 6 * linear + 6 * ((weights + 511) / 512 * 512) + 512);
    EXPECT_EQ(text::decimal(static_cast<double>(*prediction.before_backward) / (1 << 20), 3),
              row.published);
  }
}

TEST(CourseMemory, FlashKeepsFourLinearTensorsAndTheLogSumExp) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::attention, "a2-grid");
  spec.d_head = 64;
  spec.seq_len = 16'384;
  spec.backend = spec::AttentionBackend::flash;
  spec.dtype = spec::DataType::bf16;
  spec.pass = spec::Pass::forward_backward;
  base::StringTable strings;
  const predict::DryRun run = dry_run(spec, strings);
  const auto held = run.log.by_category_after(run.log.peak_event());
  const std::int64_t kept = held[static_cast<std::size_t>(Category::input)] +
                            held[static_cast<std::size_t>(Category::activation)];
  const std::int64_t linear = 2 * spec.batch * spec.seq_len * spec.d_head;
  const std::int64_t expected = 4 * linear + 4 * spec.batch * spec.seq_len;
  EXPECT_GE(kept, expected);
  EXPECT_LE(kept, expected + 4096) << "the loss, the state of the random numbers";
}

TEST(CourseMemory, TheLargestBlocksOfTheLargestModelAreTheOnesNamed) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "2.7B");
  spec.pass = spec::Pass::full_step;
  spec.seq_len = 512;
  base::StringTable strings;
  const predict::DryRun run = dry_run(spec, strings);
  EXPECT_EQ(run.parameters, 3'406'809'600);
  EXPECT_GE(blocks_of(run, strings, 128 * kMiB, "attn"), spec.layers) << "scores";
  EXPECT_GE(blocks_of(run, strings, 100 * kMiB, "ffn"), 3 * spec.layers) << "weights";
  EXPECT_GE(blocks_of(run, strings, 80 * kMiB, "ffn"), spec.layers) << "hidden activations";
  EXPECT_GE(blocks_of(run, strings, 20 * kMiB, "blocks"), spec.layers) << "residual stream";
  EXPECT_GE(blocks_of(run, strings, 10'000 * 2560 * 4, ""), 2) << "embedding and head";
}

// VLM-32: weights and gradients of 2 bytes and two fp32 moments are 12 bytes a parameter, so 7e9 of
// them leave -4e9 of 80e9 bytes. In the type of the parameters the moments would leave 24e9.
TEST(CourseMemory, ASevenBillionModelInFp16NeedsWhatTheCourseSays) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "small");
  spec.d_model = 4096;
  spec.heads = 32;
  spec.d_ff = 11'008;
  spec.layers = 32;
  spec.vocab = 63'930;
  spec.batch = 1;
  spec.seq_len = 16;
  spec.dtype = spec::DataType::fp16;
  predict::PredictionTarget target;
  target.memory = 80'000'000'000;
  using State = spec::OptimizerState;
  EXPECT_EQ(spec.optimizer_state, State::fp32) << "the default";
  for (const auto& [state, bytes, left] :
       {std::tuple{State::parameter, 4, 24e9}, std::tuple{State::fp32, 8, -4e9},
        std::tuple{State::fp32_master, 12, -32e9}}) {
    spec.optimizer_state = state;
    TorchDryRunner runner;
    base::StringTable strings;
    const auto run = runner.dry_run(spec, predict::dry_run_options(target), strings, {});
    ASSERT_TRUE(run) << run.error().sentence;
    EXPECT_EQ(run->parameters, 6'999'986'176);
    const auto held = run->log.by_category_after(run->log.peak_event());
    const auto of = [&](Category category) { return held[static_cast<std::size_t>(category)]; };
    constexpr std::int64_t kStepCounter = 4;
    EXPECT_EQ(of(Category::parameter), 2 * run->parameters);
    EXPECT_EQ(of(Category::gradient), 2 * run->parameters);
    EXPECT_EQ(of(Category::optimizer_state), bytes * run->parameters + kStepCounter);
    const std::int64_t needed =
        of(Category::parameter) + of(Category::gradient) + of(Category::optimizer_state);
    EXPECT_NEAR(static_cast<double>(target.memory - needed), left, 1e6);
    const predict::Prediction prediction =
        predict::predict(*run, strings, target, allocator::AllocatorSettings(), nullptr);
    EXPECT_EQ(prediction.fit == predict::Fit::oom, left < 0);
  }
}

TEST(CourseMemory, TheLogitsOfTheSmallModelAreItsLargestBlock) {
  const spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "a2-lm");
  base::StringTable strings;
  const predict::DryRun run = dry_run(spec, strings);
  EXPECT_EQ(run.parameters, 76'372'480);
  const std::int64_t logits = 4 * spec.batch * spec.seq_len * spec.vocab;
  EXPECT_EQ(logits, 819'200'000);  // 781 MiB
  EXPECT_GE(blocks_of(run, strings, logits, ""), 1);
  const auto blocks = run.log.blocks();
  const auto largest = std::max_element(
      blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  EXPECT_EQ(largest->size, logits);
}

}  // namespace
}  // namespace ts::kernels
