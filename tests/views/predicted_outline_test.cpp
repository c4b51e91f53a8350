#include "views/memory/predicted_outline.h"

#include <gtest/gtest.h>

#include "tests/memory/records.h"
#include "tests/views/recording_sink.h"

namespace ts::views {
namespace {

using base::Phase;
using memory::Action;
using memory::AllocationLog;
using memory::EventIndex;
namespace records = memory::testing;

// Writes logs of steps whose forward takes `blocks` blocks of 100 bytes and gives them back in the
// backward.
class Writer {
 public:
  explicit Writer(AllocationLog& log) : log_(log) {}
  // A step that is refused its block `blocks` in the forward and gives back what it has.
  void broken_step(std::int32_t number, int blocks) {
    phase(Action::phase_begin, Phase::forward, number);
    for (int i = 0; i < blocks; ++i)
      put(records::alloc(now_, static_cast<std::uint64_t>(i + 1), 100), number);
    memory::Record refused;
    refused.action = Action::oom;
    refused.size = 100;
    put(refused, number);
    put(records::free(now_, static_cast<std::uint64_t>(blocks)), number);
    phase(Action::phase_end, Phase::forward, number);
    for (int i = 0; i + 1 < blocks; ++i)
      put(records::free(now_, static_cast<std::uint64_t>(i + 1)), number);
  }
  void step(std::int32_t number, int blocks, std::int64_t size = 100) {
    phase(Action::phase_begin, Phase::forward, number);
    for (int i = 0; i < blocks; ++i)
      put(records::alloc(now_, static_cast<std::uint64_t>(i + 1), size), number);
    phase(Action::phase_end, Phase::forward, number);
    phase(Action::phase_begin, Phase::backward, number);
    for (int i = 0; i < blocks; ++i)
      put(records::free(now_, static_cast<std::uint64_t>(i + 1)), number);
    phase(Action::phase_end, Phase::backward, number);
  }

  void phase(Action action, Phase phase, std::int32_t step) {
    put(records::mark(now_, action, phase), step);
  }
  void put(memory::Record record, std::int32_t step) {
    record.time_ns = now_ += 1000;
    record.step = step;
    log_.append(record);
  }

 private:
  AllocationLog& log_;
  std::int64_t now_ = 0;
};

AllocationLog log_of(int steps, int blocks, std::int64_t size = 100) {
  AllocationLog log;
  Writer writer(log);
  for (std::int32_t i = 0; i < steps; ++i) writer.step(i, blocks, size);
  return log;
}

TEST(PhaseMatch, equal_logs_match_event_by_event) {
  const AllocationLog log = log_of(2, 7);
  PhaseMatch match;
  match.make(log, log);
  for (EventIndex i = 0; i < log.events().size(); ++i) EXPECT_EQ(match.predicted_of(i), i);
}

TEST(PhaseMatch, later_steps_match_the_last_predicted_one) {
  const AllocationLog measured = log_of(4, 7);
  const AllocationLog predicted = log_of(2, 7);
  PhaseMatch match;
  match.make(measured, predicted);
  const auto a_step = static_cast<EventIndex>(predicted.events().size() / 2);
  for (EventIndex i = 0; i < measured.events().size(); ++i) {
    const EventIndex expected = i < 2 * a_step ? i : a_step + i % a_step;
    EXPECT_EQ(match.predicted_of(i), expected) << i;
  }
}

TEST(PhaseMatch, micro_batches_of_a_step_match_in_their_order) {
  AllocationLog log;
  Writer writer(log);
  for (const std::int32_t step : {0, 0, 0, 1, 1, 1}) writer.step(step, 5);
  PhaseMatch match;
  match.make(log, log);
  for (EventIndex i = 0; i < log.events().size(); ++i) EXPECT_EQ(match.predicted_of(i), i);
}

TEST(PhaseMatch, a_phase_with_more_events_is_stretched) {
  const AllocationLog measured = log_of(1, 40);
  const AllocationLog predicted = log_of(1, 10);
  PhaseMatch match;
  match.make(measured, predicted);
  EXPECT_EQ(match.predicted_of(39), 9U);   // end of the forward
  EXPECT_EQ(match.predicted_of(79), 19U);  // end of the backward
  EventIndex before = 0;
  for (EventIndex i = 1; i < measured.events().size(); ++i) {
    const EventIndex now = match.predicted_of(i);
    if (now == memory::kNone) continue;
    EXPECT_GE(now, before);
    before = now;
  }
}

// Flash attention in 16 bits on the CPU takes a buffer in each thread that gets work.
TEST(PhaseMatch, events_that_agree_match_beside_events_that_only_one_has) {
  const auto backward = [](AllocationLog& log, int scratch) {
    Writer writer(log);
    writer.phase(Action::phase_begin, Phase::backward, 0);
    for (std::uint64_t layer = 1; layer <= 4; ++layer) {
      const auto size = static_cast<std::int64_t>(100 * layer);
      for (int i = 0; i < scratch; ++i) {
        writer.put(records::alloc(0, 50, 7), 0);
        writer.put(records::free(0, 50), 0);
      }
      writer.put(records::alloc(0, layer, size), 0);
    }
    for (std::uint64_t layer = 1; layer <= 4; ++layer) writer.put(records::free(0, layer), 0);
    writer.phase(Action::phase_end, Phase::backward, 0);
  };
  AllocationLog measured, predicted;
  backward(measured, 3);
  backward(predicted, 1);
  PhaseMatch match;
  match.make(measured, predicted);
  for (EventIndex i = 0; i < measured.events().size(); ++i) {
    const EventIndex at = match.predicted_of(i);
    if (measured.blocks()[measured.events()[i].block].size == 7) continue;
    ASSERT_NE(at, memory::kNone) << i;
    EXPECT_EQ(predicted.events()[at].total_after, measured.events()[i].total_after) << i;
  }
}

TEST(PhaseMatch, a_run_that_was_broken_off_is_matched_one_by_one_up_to_there) {
  AllocationLog measured;
  Writer writer(measured);
  writer.step(0, 7);
  writer.broken_step(1, 3);
  const AllocationLog predicted = log_of(2, 7);
  PhaseMatch match;
  match.make(measured, predicted, /*broken_off=*/true);
  for (EventIndex i = 0; i < 14 + 3; ++i) EXPECT_EQ(match.predicted_of(i), i) << i;
  for (EventIndex i = 14 + 3; i < measured.events().size(); ++i)
    EXPECT_EQ(match.predicted_of(i), memory::kNone) << i;
  // The other four blocks of the forward, and the backward.
  EXPECT_EQ(match.rest().measured, 17U);
  EXPECT_EQ(match.rest().predicted, 17U);
  EXPECT_EQ(match.rest().count, 11U);
  match.make(predicted, predicted, /*broken_off=*/true);
  EXPECT_EQ(match.rest().count, 0U);
  match.make(measured, predicted);
  EXPECT_EQ(match.rest().measured, memory::kNone);
}

TEST(PhaseMatch, nothing_in_common_matches_nothing) {
  const AllocationLog measured = log_of(1, 3);
  PhaseMatch match;
  match.make(measured, AllocationLog());
  EXPECT_EQ(match.predicted_of(2), memory::kNone);
  match.make(AllocationLog(), measured);
  EXPECT_EQ(match.predicted_of(0), memory::kNone);
}

class OutlineTest : public ::testing::Test {
 protected:
  testing::RecordingSink draw(const AllocationLog& measured, const AllocationLog& predicted,
                              bool broken_off = false, memory::Axis kind = memory::Axis::event) {
    testing::RecordingSink sink;
    PredictedOutline outline;
    outline.update(measured, predicted, 1, broken_off);
    MemoryAxis axis;
    axis.kind = kind;
    axis.axis.x0 = plot.x0;
    axis.axis.x1 = plot.x1;
    axis.axis.range =
        all_places(broken_off && kind == memory::Axis::event ? predicted : measured, axis.kind);
    MemoryScale scale;
    scale.plot = plot;
    scale.top = 2000;
    outline.draw(sink, measured, predicted, axis, scale, 0xFFFFFFFF, 2, 4, 3);
    return sink;
  }
  const Rect plot{10, 10, 410, 210};
};

TEST_F(OutlineTest, goes_up_to_the_predicted_peak_in_dashes) {
  const AllocationLog log = log_of(1, 10);
  const auto sink = draw(log, log_of(1, 10, 150));
  ASSERT_GT(sink.calls.size(), 20U);
  float top = plot.y1;
  float drawing = 0;
  for (const auto& call : sink.calls) {
    EXPECT_GE(call.bounds.x0, plot.x0 - 1);
    EXPECT_LE(call.bounds.x1, plot.x1 + 1);
    EXPECT_LE(std::max(call.bounds.width(), call.bounds.height()), 4.01F);
    top = std::min(top, call.bounds.y0);
    drawing += std::max(call.bounds.width(), call.bounds.height());
  }
  // 1,500 of 2,000 bytes on 200 pixels, the line 2 thick.
  EXPECT_NEAR(top, plot.y1 - 150, 1.5F);
  // Up, along and down again, four sevenths of it inked.
  EXPECT_NEAR(drawing, (400 + 150 + 150) * 4.0F / 7, 30);
}

TEST_F(OutlineTest, a_spike_between_two_pixels_is_seen) {
  AllocationLog log;
  Writer writer(log);
  for (std::int32_t i = 0; i < 3000; ++i) writer.step(i, 1, i == 1500 ? 1900 : 100);
  const auto sink = draw(log, log);
  float top = plot.y1;
  for (const auto& call : sink.calls) top = std::min(top, call.bounds.y0);
  EXPECT_LT(top, plot.y1 - 180);
}

TEST_F(OutlineTest, past_the_end_of_a_broken_run_it_goes_on_by_event_and_stops_by_time) {
  AllocationLog measured;
  Writer writer(measured);
  writer.broken_step(0, 10);
  const AllocationLog predicted = log_of(1, 20);
  float right = 0, top = plot.y1;
  const auto by_event = draw(measured, predicted, true);
  for (const auto& call : by_event.calls) right = std::max(right, call.bounds.x1);
  for (const auto& call : by_event.calls) top = std::min(top, call.bounds.y0);
  EXPECT_NEAR(right, plot.x1, 8);
  EXPECT_NEAR(top, plot.y0, 2);  // 2,000 bytes, which the run never came to
  right = 0, top = plot.y1;
  const auto by_time = draw(measured, predicted, true, memory::Axis::time);
  ASSERT_FALSE(by_time.calls.empty());
  for (const auto& call : by_time.calls) right = std::max(right, call.bounds.x1);
  for (const auto& call : by_time.calls) top = std::min(top, call.bounds.y0);
  EXPECT_LT(right, plot.x1 - 100);
  EXPECT_NEAR(top, plot.y1 - 100, 2);
  // So much height it takes, too.
  PredictedOutline outline;
  EXPECT_EQ(outline.most(memory::Axis::time), 0);
  outline.update(measured, predicted, 1, true);
  EXPECT_EQ(outline.most(memory::Axis::event), 2000);
  EXPECT_EQ(outline.most(memory::Axis::time), 1000);
  outline.update(measured, predicted, 1, false);
  EXPECT_EQ(outline.most(memory::Axis::time), 2000);
}

TEST_F(OutlineTest, empty_logs_draw_nothing) {
  EXPECT_TRUE(draw(AllocationLog(), log_of(1, 2)).calls.empty());
  EXPECT_TRUE(draw(log_of(1, 2), AllocationLog()).calls.empty());
}

}  // namespace
}  // namespace ts::views
