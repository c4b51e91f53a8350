#include <gtest/gtest.h>

#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using memory::Category;
using spec::Pass;

std::int64_t bytes_of(const memory::CategoryBytes& bytes, Category category) {
  return bytes[static_cast<std::size_t>(category)];
}

std::int64_t live_bytes(const memory::AllocationLog& log, Category category) {
  const auto last = static_cast<memory::EventIndex>(log.events().size() - 1);
  return bytes_of(log.by_category_after(last), category);
}

struct MemoryOf : testing::TestWithParam<spec::WorkloadSpec> {};

// Every byte the allocator counted is in the log, and every byte that stays has an owner.
TEST_P(MemoryOf, LogEqualsAllocatorAndOwnersAreComplete) {
  const spec::WorkloadSpec& spec = GetParam();
  Recorded recorded;
  auto prepared = engine().prepare_execution(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  const std::unique_ptr<TorchExecution> execution = std::move(*prepared);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(execution->step(&recorded.recorder, i));
  recorded.drain();
  ASSERT_EQ(recorded.recorder.dropped(), 0U);
  const memory::AllocationLog& log = recorded.memory;
  EXPECT_EQ(log.unmatched_frees(), 0U);
  EXPECT_EQ(log.missed_frees(), 0U);
  EXPECT_EQ(log.unmatched_owners(), 0U);
  EXPECT_EQ(log.current_bytes(), execution->memory().allocated);
  EXPECT_EQ(log.peak_bytes(), execution->memory().peak);

  std::int64_t parameters = 0, gradients = 0, inputs = 0, numbers = 0;
  for (const Parameter& parameter : execution->parameters()) {
    parameters += static_cast<std::int64_t>(parameter.tensor.nbytes());
    numbers += parameter.tensor.numel();
    if (parameter.tensor.grad().defined()) {
      gradients += static_cast<std::int64_t>(parameter.tensor.grad().storage().nbytes());
    }
  }
  for (const at::Tensor& input : execution->inputs()) {
    inputs += static_cast<std::int64_t>(input.nbytes());
    if (input.grad().defined()) {
      gradients += static_cast<std::int64_t>(input.grad().storage().nbytes());
    }
  }
  EXPECT_EQ(live_bytes(log, Category::parameter), parameters);
  EXPECT_EQ(live_bytes(log, Category::gradient), gradients);
  EXPECT_EQ(live_bytes(log, Category::input), inputs);
  // Two moments in fp32, also beside parameters of 16 bits, and the count of the steps.
  EXPECT_EQ(live_bytes(log, Category::optimizer_state),
            spec.pass == Pass::full_step ? 2 * 4 * numbers + 4 : 0);
  EXPECT_EQ(live_bytes(log, Category::activation), 0);
  EXPECT_EQ(live_bytes(log, Category::temporary), 0);
  EXPECT_EQ(live_bytes(log, Category::unknown), 0);
}

INSTANTIATE_TEST_SUITE_P(All, MemoryOf, testing::ValuesIn(every_small_spec()), spec_name);

struct NaiveAttentionMemory : testing::Test {
  void run(Pass pass) {
    spec.batch = 2;
    spec.heads = 2;
    spec.seq_len = 256;
    spec.d_head = 4;
    spec.pass = pass;
    square = spec.batch * spec.heads * spec.seq_len * spec.seq_len * 4;
    small = spec.batch * spec.heads * spec.seq_len * spec.d_head * 4;
    auto prepared = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(prepared) << prepared.error().sentence;
    before = (*prepared)->memory().allocated;
    ASSERT_TRUE((*prepared)->step(&recorded.recorder, 0));
    recorded.drain();
  }
  // Largest number of T x T tensors live at once in a phase.
  int most_squares(base::Phase phase) {
    int squares = 0, most = 0;
    std::size_t i = 0;
    for (const memory::Event& event : recorded.memory.events()) {
      ++i;
      if (event.block == memory::kNone) continue;
      const memory::Block& block = recorded.memory.blocks()[event.block];
      if (block.size == square) squares += event.action == memory::Action::alloc ? 1 : -1;
      for (const memory::PhaseSpan& span : recorded.memory.phases()) {
        if (span.phase == phase && i - 1 >= span.first_event && i - 1 < span.end_event) {
          most = std::max(most, squares);
        }
      }
    }
    return most;
  }
  spec::WorkloadSpec spec = small_attention();
  Recorded recorded;
  std::int64_t square = 0, small = 0, before = 0;
};

// Course formula M-2: naive attention holds two T x T tensors at once in its forward and three in
// its backward; of those only the probabilities are saved between the two.
TEST_F(NaiveAttentionMemory, HoldsTwoSquaresForwardAndThreeBackward) {
  run(Pass::forward_backward);
  EXPECT_EQ(most_squares(base::Phase::forward), 2);
  EXPECT_EQ(most_squares(base::Phase::backward), 3);
}

TEST_F(NaiveAttentionMemory, SavedProbabilitiesAreTheOneSquareActivation) {
  run(Pass::forward_backward);
  int saved = 0;
  for (const memory::Block& block : recorded.memory.blocks()) {
    if (block.size != square || block.category != Category::activation) continue;
    ++saved;
    EXPECT_EQ(recorded.text(block.op), "aten::_softmax");
    EXPECT_EQ(recorded.text(block.module), "attention");
    EXPECT_EQ(block.phase, base::Phase::forward);
  }
  EXPECT_EQ(saved, 1);
}

TEST_F(NaiveAttentionMemory, ForwardAloneSavesNothing) {
  run(Pass::forward);
  EXPECT_EQ(most_squares(base::Phase::forward), 2);
  for (const memory::Block& block : recorded.memory.blocks()) {
    EXPECT_NE(block.category, Category::activation) << recorded.text(block.op);
  }
}

TEST_F(NaiveAttentionMemory, FlashHasNoSquareAtAll) {
  spec.backend = spec::AttentionBackend::flash;
  run(Pass::forward_backward);
  EXPECT_EQ(most_squares(base::Phase::forward), 0);
  EXPECT_EQ(most_squares(base::Phase::backward), 0);
}

}  // namespace
}  // namespace ts::kernels
