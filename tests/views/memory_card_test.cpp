// The parts of the card's prediction in the chart of a run.
#include <algorithm>

#include "core/text/numbers.h"
#include "tests/views/memory_chart_fixture.h"

namespace ts::views {
namespace {

using testing::kGiB;
using testing::MemoryChartTest;
using testing::RecordingSink;
using Kind = RecordingSink::Kind;

// Every number that stands in the chart is a link of the one chain, and "to spare" that of the
// verdict: what the card has less all that is needed.
TEST_F(MemoryChartTest, TheChainOfTheCardStandsBetweenTheTensorsAndItsCapacity) {
  predict(2 * kGiB);
  const predict::NeedChain& chain = outlook->target->prediction.chain;
  const RecordingSink sink = frame();
  const auto words = [](std::int64_t bytes) { return text::bytes(bytes).joined(); };
  EXPECT_TRUE(sink.says("Peak of tensors " + words(run->memory.peak_bytes())));
  EXPECT_TRUE(sink.says("reserved " + words(chain.reserved()) + " on RTX 4090, predicted"));
  EXPECT_TRUE(sink.says("CUDA context " + words(kGiB)));
  EXPECT_TRUE(sink.says(words(24 * kGiB - chain.needed()) + " to spare"));
  EXPECT_FALSE(sink.says(words(24 * kGiB - run->memory.peak_bytes()) + " to spare"));

  const Theme& colors = theme(ThemeKind::light);
  const Rect& plot = chart.regions().plot;
  float capacity = 0, reserved = 0, hatched_from = 1e9F, hatched_to = 0;
  Rect bracket;
  for (const auto& call : sink.calls) {
    const bool across = call.bounds.width() > plot.width() - 2 && call.bounds.height() < 4;
    if (call.kind == Kind::fill && across && call.color == colors.bad) capacity = call.bounds.y1;
    if (call.kind == Kind::fill && across && call.color == colors.text2) {
      reserved = call.bounds.y0;
      EXPECT_EQ(call.bounds.height(), 1);
    }
    if (call.kind == Kind::fill && call.color == colors.ok &&
        call.bounds.height() > call.bounds.width()) {
      bracket = call.bounds;
    }
    if (call.kind == Kind::line && call.color == with_alpha(colors.bad, 0.5F)) {
      hatched_from = std::min(hatched_from, call.bounds.y0);
      hatched_to = std::max(hatched_to, call.bounds.y1);
    }
  }
  EXPECT_GE(hatched_from, capacity - 1) << "under the line of the capacity";
  EXPECT_GT(hatched_to, hatched_from + 3);
  EXPECT_GE(bracket.y0, hatched_to - 1) << "what the context takes is not to spare";
  EXPECT_NEAR(bracket.y1, reserved, 1) << "nor what is reserved";
  EXPECT_GT(bracket.y1, bracket.y0);
}

// Without a prediction of this very card nobody knows what it has to spare.
TEST_F(MemoryChartTest, NothingIsSaidToBeToSpareWithoutAPrediction) {
  EXPECT_FALSE(frame().says("to spare"));
  predict(2 * kGiB);
  target_bytes = 20 * kGiB;
  EXPECT_FALSE(frame().says("to spare")) << "the prediction is of another card";
  target_bytes = 24 * kGiB;
  predict(30 * kGiB);
  const RecordingSink sink = frame();
  EXPECT_FALSE(sink.says("to spare"));
  EXPECT_TRUE(sink.says("reserved")) << "what is missing can be seen";
}

// A run on the CPU has no reserved bytes and no context: those of the card stand there by its name,
// or the title says that there are none.
// As in a window of 960 x 600.
TEST_F(MemoryChartTest, InANarrowChartNothingAtTheUpperEdgeMeets) {
  // Both far above what was allocated.
  target_bytes = 4000 * kGiB;
  predict(1000 * kGiB);
  for (float width = 320; width < 900; width += 20) {
    area = {20, 30, 20 + width, 330};
    // Three frames, until the view has settled.
    for (int i = 0; i < 2; ++i) frame();
    const RecordingSink sink = frame();
    const RecordingSink::Call* reserved = nullptr;
    const RecordingSink::Call* card = nullptr;
    for (const auto& call : sink.calls) {
      if (call.kind != Kind::text) continue;
      if (call.text.starts_with("reserved")) reserved = &call;
      if (call.text.starts_with("RTX 4090")) card = &call;
    }
    ASSERT_NE(card, nullptr) << width;
    if (reserved == nullptr) continue;
    const Rect& a = reserved->bounds;
    const Rect& b = card->bounds;
    const bool meet = a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
    EXPECT_FALSE(meet) << width;
  }
}

TEST_F(MemoryChartTest, AfterARunOnTheCpuReservedAndContextAreTheCardsOrAreSaidToBeMissing) {
  ASSERT_EQ(run->spec.device, spec::DeviceKind::cpu);
  EXPECT_TRUE(frame().says("no CUDA context, nothing reserved on a CPU"));
  predict(2 * kGiB);
  RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("on RTX 4090, predicted"));
  EXPECT_TRUE(sink.says("CUDA context"));
  EXPECT_FALSE(sink.says("nothing reserved on a CPU"));
  // A card that does not hold it, too: the tensors alone would fit.
  predict(10 * kGiB);
  ASSERT_LT(outlook->target->prediction.headroom, 0);
  sink = frame();
  EXPECT_TRUE(sink.says("on RTX 4090, predicted"));
  EXPECT_TRUE(sink.says("CUDA context"));
  // The missing memory stands between the reserved line and what the card leaves to it.
  target_bytes = 16 * kGiB;
  predict(6 * kGiB);
  sink = frame();
  EXPECT_TRUE(sink.says(text::bytes(-outlook->target->prediction.headroom).joined() + " missing"));
  EXPECT_FALSE(sink.says("to spare"));
  // Far under its limit the line of the card is an arrow, and the context is named beside it.
  target_bytes = 140 * kGiB;
  predict(2 * kGiB);
  EXPECT_TRUE(frame().says("CUDA context 1.00 GiB"));
  // Under a limit that was set there is none to be counted.
  target_bytes = 24 * kGiB;
  predict(2 * kGiB, 0);
  EXPECT_TRUE(frame().says("this limit leaves out the CUDA context"));
  testing::TransformerShape shape;
  shape.memory_limit = 6 * kGiB;
  run = testing::transformer_run(strings, shape);
  run->id = 2;
  target_bytes = 6 * kGiB;
  predict(2 * kGiB);
  sink = frame();
  EXPECT_TRUE(sink.says("no CUDA context, nothing reserved on a CPU"));
  EXPECT_FALSE(sink.says("CUDA context 1.00 GiB"));
}

// Tensors below the capacity that are refused all the same: what the allocator holds beside them is
// drawn between them and the block, and the cross stands at the line that they reach together.
TEST_F(MemoryChartTest, TheCrossOfAFragmentedCardStandsAtWhatItMayHold) {
  forecast = std::make_unique<predict::Forecast>();
  forecast->id = 5;
  forecast->run.log = std::move(testing::transformer_run(strings, {})->memory);
  const memory::AllocationLog& log = forecast->run.log;
  const memory::EventIndex peak = log.peak_event();
  const memory::Block& block = log.blocks()[log.events()[peak].block];
  const std::int64_t held = log.events()[peak].total_after - block.size;
  target_bytes = log.peak_bytes() + 3 * kGiB;
  forecast->target.memory = target_bytes;
  forecast->target.context = kGiB;
  const std::int64_t capacity = forecast->target.capacity();
  const std::int64_t free = capacity - held - kGiB;  // a GiB of rounding and workspaces
  ASSERT_GT(free, block.size) << "only pieces are in the way";
  forecast->prediction.fit = predict::Fit::oom;
  forecast->prediction.breaking = predict::BreakingAllocation{
      peak, "aten::bmm", "", base::Phase::forward, 0, block.size, free, free - block.size / 2};
  outlook = std::make_unique<predict::Outlook>();
  outlook->target = std::make_shared<predict::Forecast>();
  auto card = std::make_shared<predict::Forecast>();
  card->target = forecast->target;
  outlook->target = card;
  predicted = true;
  const RecordingSink sink = frame();
  const Theme& colors = theme(ThemeKind::light);
  float line = 0, context_end = 0;
  Rect cross{1e9F, 1e9F, -1e9F, -1e9F};
  Rect grey;
  for (const auto& call : sink.calls) {
    const Rect& at = call.bounds;
    if (call.kind == Kind::fill && call.color == colors.bad && at.width() > 400) line = at.y1;
    if (call.kind == Kind::line && call.color == with_alpha(colors.bad, 0.5F))
      context_end = std::max(context_end, at.y1);
    if (call.kind == Kind::line && call.color == colors.bad)
      cross = {std::min(cross.x0, at.x0), std::min(cross.y0, at.y0), std::max(cross.x1, at.x1),
               std::max(cross.y1, at.y1)};
    if (call.kind == Kind::fill && call.color == with_alpha(colors.text3, 0.35F)) grey = at;
  }
  EXPECT_GT(context_end, line) << "the context is drawn under the line of the card";
  EXPECT_LE((cross.y0 + cross.y1) / 2, context_end + 1) << "what the allocator may hold is used up";
  EXPECT_GT(grey.height(), 1);
  EXPECT_TRUE(sink.says("held for rounding, workspaces and pieces between blocks"));
  EXPECT_TRUE(sink.says("Enough is free"));
}

}  // namespace
}  // namespace ts::views
