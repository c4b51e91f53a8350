// Words about an allocation that was refused, in the chart.
#include <algorithm>

#include "tests/views/memory_chart_fixture.h"

namespace ts::views {
namespace {

using testing::kGiB;
using testing::MemoryChartTest;
using testing::RecordingSink;
using Kind = RecordingSink::Kind;

// A run that ran out of memory, on a projector and in a small window: no word stands on another,
// and no plate covers one.
TEST_F(MemoryChartTest, NeverWritesOverTheWordsOfARefusal) {
  for (const float scale_here : {1.0F, 1.35F, 1.6F}) {
    for (const Point size : {Point{560, 260}, {900, 420}, {1240, 230}, {1880, 330}}) {
      for (const std::int64_t limit : {3 * kGiB, 9 * kGiB, 14 * kGiB}) {
        for (const std::int64_t target : {limit, 24 * kGiB, 80 * kGiB}) {
          for (const memory::Axis axis : {memory::Axis::time, memory::Axis::event}) {
            scale = scale_here;
            area = {20, 30, 20 + size.x, 30 + size.y};
            target_bytes = target;
            state.memory_axis = axis;
            testing::TransformerShape shape;
            shape.memory_limit = limit;
            run = testing::transformer_run(strings, shape);
            run->id = 2;
            outlook.reset();
            predict(kGiB);
            const RecordingSink sink = frame();
            for (std::size_t a = 0; a < sink.calls.size(); ++a) {
              if (sink.calls[a].kind != Kind::text) continue;
              for (std::size_t b = a + 1; b < sink.calls.size(); ++b) {
                const bool plate = sink.calls[b].kind == Kind::fill &&
                                   sink.calls[b].color == theme(ThemeKind::light).surface2;
                if (sink.calls[b].kind != Kind::text && !plate) continue;
                const Rect p = sink.calls[a].seen();
                const Rect q = sink.calls[b].seen();
                const bool meet =
                    p.x0 < q.x1 - 1 && q.x0 < p.x1 - 1 && p.y0 < q.y1 - 3 && q.y0 < p.y1 - 3;
                EXPECT_FALSE(meet) << sink.calls[a].text << " / " << sink.calls[b].text << " at "
                                   << size.x << " x " << size.y << ", " << scale << ", "
                                   << limit / kGiB << " of " << target / kGiB;
              }
            }
          }
        }
      }
    }
  }
}

TEST_F(MemoryChartTest, TellsWhatWasRefusedAndWhatIsAliveThen) {
  testing::TransformerShape shape;
  shape.memory_limit = 9 * kGiB;
  run = testing::transformer_run(strings, shape);
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Out of memory at"));
  EXPECT_TRUE(sink.says("Short by"));
  EXPECT_TRUE(sink.says("Live at the refusal"));
  EXPECT_FALSE(sink.says("fragmented"));
}

// A prediction: the event where the card gives out, with the memory that is free but in pieces.
TEST_F(MemoryChartTest, TellsWhereAPredictionBreaks) {
  forecast = std::make_unique<predict::Forecast>();
  forecast->id = 5;
  forecast->run.log = std::move(testing::transformer_run(strings, {})->memory);
  const memory::EventIndex peak = forecast->run.log.peak_event();
  const memory::Block& block = forecast->run.log.blocks()[forecast->run.log.events()[peak].block];
  forecast->prediction.fit = predict::Fit::oom;
  forecast->prediction.breaking =
      predict::BreakingAllocation{peak, "aten::bmm", "blocks.3",     base::Phase::forward,
                                  0,    block.size,  block.size / 2, block.size / 4};
  predicted = true;
  area.x1 = 1900;
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Would run out of memory at event"));
  EXPECT_TRUE(sink.says("bmm in blocks.3"));
  EXPECT_TRUE(sink.says("of the free memory is fragmented"));
  EXPECT_TRUE(sink.says("Without a limit the tensors would peak at"));
  EXPECT_TRUE(sink.says("Live at the refusal"));
  // The lines of the plate stand apart by more than a letter's height.
  const auto place = [&sink](const char* words) {
    return std::ranges::find_if(sink.calls,
                                [words](const RecordingSink::Call& call) {
                                  return call.text.find(words) != std::string::npos;
                                })
        ->bounds;
  };
  const Rect first = place("Would run out of memory at event");
  const Rect second = place("bmm in blocks.3");
  EXPECT_GT(place("of the free memory is fragmented").y0 - second.y1, 2);
  EXPECT_GT(second.y0 - first.y1, 2);
  forecast->prediction.breaking.reset();
  forecast->target.kind = spec::DeviceKind::cuda;
  forecast->target.name = "RTX 4060";
  EXPECT_FALSE(frame().says("Would run out of memory"));
  EXPECT_TRUE(frame().says("RTX 4060: predicted, not run yet"));
  // Settings that a card cannot run are predicted by the rules of this machine, and that is said.
  forecast->target.kind = spec::DeviceKind::cpu;
  EXPECT_TRUE(frame().says("this machine: predicted, not run yet"));
  forecast->target.name.clear();
  // A run that failed at once is not one that is still to come.
  run = std::make_unique<run::Run>(run::StartedUpdate{});
  run->finished = true;
  run->verdict = run::Verdict::failed;
  EXPECT_TRUE(frame().says("the run ended before it allocated anything"));
}

// The words of a refusal are wide: the plate of the peak keeps off them, wherever both are.
TEST_F(MemoryChartTest, ThePlateOfThePeakKeepsOffAPredictedRefusal) {
  forecast = std::make_unique<predict::Forecast>();
  forecast->id = 5;
  forecast->run.log = std::move(testing::transformer_run(strings, {})->memory);
  forecast->prediction.fit = predict::Fit::oom;
  predicted = true;
  const auto events = static_cast<memory::EventIndex>(forecast->run.log.events().size());
  int both = 0;
  for (memory::EventIndex event = 10; event < events; event += events / 40) {
    forecast->prediction.breaking = predict::BreakingAllocation{
        event, "aten::bmm", "blocks.3", base::Phase::forward, 0, kGiB, kGiB / 2, kGiB / 4};
    for (const float width : {700.0F, 1240.0F, 1900.0F}) {
      area.x1 = area.x0 + width;
      const RecordingSink sink = frame();
      const auto place = [&sink](const char* words) {
        return std::ranges::find_if(
            sink.calls, [words](const auto& call) { return call.text.find(words) == 0; });
      };
      const auto refusal = place("Would run out of memory");
      const auto peak = place("Predicted peak");
      if (refusal == sink.calls.end() || peak == sink.calls.end()) continue;
      ++both;
      const bool meet =
          peak->bounds.x0 < refusal->bounds.x1 && refusal->bounds.x0 < peak->bounds.x1 &&
          peak->bounds.y0 < refusal->bounds.y1 && refusal->bounds.y0 < peak->bounds.y1;
      EXPECT_FALSE(meet) << event << ", " << width;
    }
  }
  EXPECT_GT(both, 5);
}

TEST_F(MemoryChartTest, ARefusalIsToldWithWhatWasAskedAndFree) {
  testing::TransformerShape shape;
  shape.memory_limit = 6 * kGiB;
  run = testing::transformer_run(strings, shape);
  run->id = 2;
  target_bytes = 6 * kGiB;
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Out of memory"));
  EXPECT_TRUE(sink.says("needs"));
  EXPECT_TRUE(sink.says("free"));
  EXPECT_FALSE(sink.says("Peak"));
  EXPECT_EQ(sink.count(Kind::line), 2U);  // the cross
}

}  // namespace
}  // namespace ts::views
