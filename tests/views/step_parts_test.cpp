#include "views/memory/step_parts.h"

#include <gtest/gtest.h>

#include "tests/memory/records.h"
#include "tests/views/texts_for_tests.h"

namespace ts::views {
namespace {

using base::Phase;
using memory::Action;
using memory::AllocationLog;
namespace records = memory::testing;

void phase(AllocationLog& log, std::int64_t time, Phase phase, std::int32_t step) {
  memory::Record record = records::mark(time, Action::phase_begin, phase);
  record.step = step;
  log.append(record);
  record.action = Action::phase_end;
  record.time_ns = time + 5;
  log.append(record);
}

TEST(MicroBatches, AreForwardLossAndBackwardOfAStepThatAccumulates) {
  AllocationLog log;
  phase(log, 0, Phase::setup, -1);
  std::int64_t time = 10;
  for (const std::int32_t step : {0, 1}) {
    for (int i = 0; i < 3; ++i) {
      for (const Phase one : {Phase::forward, Phase::loss, Phase::backward}) {
        log.append(records::alloc(time, static_cast<std::uint64_t>(time), 8, one));
        phase(log, time, one, step);
        time += 10;
      }
    }
    phase(log, time, Phase::optimizer, step);
    time += 10;
  }
  const auto parts = micro_batches(log.phases());
  ASSERT_EQ(parts.size(), 6U);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].step, static_cast<std::int32_t>(i / 3));
    EXPECT_EQ(parts[i].number, static_cast<int>(i % 3) + 1);
    EXPECT_EQ(parts[i].count, 3);
    EXPECT_EQ(parts[i].end_ns - parts[i].begin_ns, 25);
    EXPECT_EQ(parts[i].end_event - parts[i].first_event, 2U) << "its own first lies before it";
  }
}

TEST(MicroBatches, StepsMayHaveDifferentNumbersOfThem) {
  AllocationLog log;
  std::int64_t time = 10;
  std::vector<int> counts;
  for (const auto& [step, forwards] : {std::pair{0, 2}, {1, 1}, {2, 3}, {3, 1}}) {
    for (int i = 0; i < forwards; ++i) phase(log, time += 10, Phase::forward, step);
    phase(log, time += 10, Phase::optimizer, step);
  }
  for (const MicroBatch& one : micro_batches(log.phases())) counts.push_back(one.count);
  EXPECT_EQ(counts, (std::vector{2, 2, 1, 3, 3, 3, 3})) << "the last may be in progress";
}

TEST(MicroBatches, AStepWithOneForwardHasNone) {
  AllocationLog log;
  for (const std::int32_t step : {0, 1}) {
    phase(log, step * 20, Phase::forward, step);
    phase(log, step * 20 + 10, Phase::backward, step);
  }
  EXPECT_TRUE(micro_batches(log.phases()).empty());
  EXPECT_TRUE(micro_batches({}).empty());
}

TEST(RecomputationAt, FindsTheSpanOfAnEvent) {
  AllocationLog log;
  std::uint64_t address = 0;
  for (const bool again : {false, true, true, false, true, false}) {
    ++address;
    log.append(
        records::alloc(static_cast<std::int64_t>(address), address, 8, Phase::backward, again));
  }
  const auto spans = log.recomputations();
  ASSERT_EQ(spans.size(), 2U);
  const memory::RecomputeSpan* const expected[] = {nullptr, spans.data(),     spans.data(),
                                                   nullptr, spans.data() + 1, nullptr};
  for (memory::EventIndex i = 0; i < 6; ++i) EXPECT_EQ(recomputation_at(log, i), expected[i]) << i;
}

TEST(CommonModule, IsTheSharedPathAndARangeOfNumbers) {
  const text::Texts texts = testing::program_texts();
  const auto common = [&](std::string_view a, std::string_view b) {
    return common_module(a, b, texts);
  };
  EXPECT_EQ(common("blocks.3.norm1", "blocks.3.ffn.w2"), "blocks.3");
  EXPECT_EQ(common("blocks.4.norm1", "blocks.11.ffn"), "blocks.4 to 11");
  EXPECT_EQ(common("blocks.4", "blocks.7"), "blocks.4 to 7");
  EXPECT_EQ(common("blocks.2.attn", "blocks.2.attn"), "blocks.2.attn");
  EXPECT_EQ(common("blocks.2.attn", "blocks.2.attn.sdpa"), "blocks.2.attn");
  EXPECT_EQ(common("attn", "ffn.w1"), "");
  EXPECT_EQ(common("", "blocks.1"), "");
}

}  // namespace
}  // namespace ts::views
