#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/files/opened_trace.h"
#include "core/stats/queue_depth.h"
#include "tests/views/gpu_run.h"
#include "tests/views/recording_sink.h"
#include "tests/views/synthetic_run.h"
#include "tests/views/texts_for_tests.h"
#include "views/timeline/timeline_chart.h"

namespace ts::views {
namespace {

using testing::RecordingSink;
using Kind = RecordingSink::Kind;

class TimelineChartTest : public ::testing::Test {
 protected:
  ViewContext context() {
    ViewContext out{run.get(), strings, texts, theme(kind), Metrics{scale}, state, now, 0, {}};
    out.stale = stale;
    out.trace = opened;
    return out;
  }
  // One frame; the sink keeps what was drawn.
  RecordingSink frame(const ChartInput& given = {}) {
    RecordingSink sink(scale);
    now += 16'000'000;
    ViewContext view = context();
    chart.lay_out(sink, area, view);
    ChartInput input = given;
    input.now_ns = now;
    input.seconds = 0.016F;
    chart.update(input, view);
    chart.draw(sink, view);
    return sink;
  }
  void settle() {
    for (int i = 0; i < 20; ++i) frame();
  }
  [[nodiscard]] Point inside_plot(float x, float y) const {
    const Rect& plot = chart.regions().plot;
    return {plot.x0 + plot.width() * x, plot.y0 + y};
  }

  base::StringTable strings;
  text::Texts texts = testing::program_texts();
  std::unique_ptr<run::Run> run = testing::transformer_run(strings, {});
  const files::OpenedTrace* opened = nullptr;
  ViewState state;
  ThemeKind kind = ThemeKind::dark;
  float scale = 1;
  Rect area{20, 30, 1260, 500};
  std::int64_t now = 1;
  std::string stale;
  TimelineChart chart;
};

TEST_F(TimelineChartTest, ARunOfOtherSettingsIsNamedAndFainter) {
  const auto faint = [](const RecordingSink& sink) {
    return std::ranges::count(sink.calls, with_alpha(theme(ThemeKind::dark).surface, 0.55F),
                              &RecordingSink::Call::color);
  };
  EXPECT_EQ(faint(frame()), 0);
  stale = "naive, T = 512";
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Of naive, T = 512"));
  EXPECT_EQ(faint(sink), 1);
}

TEST_F(TimelineChartTest, DrawsNothingOutsideItsPanelAtAnySizeOrScale) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    scale = 0.75F + static_cast<float>(random() % 10) * 0.25F;
    const float width = 120 + static_cast<float>(random() % 2400);
    const float height = 30 + static_cast<float>(random() % 1200);
    area = {20, 30, 20 + width, 30 + height};
    const base::TimeRange all = run->trace.range();
    const auto at = static_cast<std::int64_t>(random() % static_cast<unsigned>(all.length()));
    state.visible = i % 3 == 0 ? base::TimeRange{}
                               : base::TimeRange{all.begin + at, all.begin + at + all.length() / 9};
    state.search = i % 4 == 0 ? "softmax" : "";
    state.selected_slice = trace::SliceRef{1, 3, static_cast<std::uint32_t>(random() % 200)};
    ChartInput input;
    input.hovered = true;
    input.mouse = {area.x0 + static_cast<float>(random() % 1000) / 1000 * width,
                   area.y0 + static_cast<float>(random() % 1000) / 1000 * height};
    const RecordingSink sink = frame(input);
    EXPECT_EQ(sink.open_clips(), 0U);
    for (const auto& call : sink.calls) {
      EXPECT_GE(call.clip.x0, area.x0);
      EXPECT_GE(call.clip.y0, area.y0);
      EXPECT_LE(call.clip.x1, area.x1);
      EXPECT_LE(call.clip.y1, area.y1);
      if (call.kind != Kind::fill && call.kind != Kind::outline) continue;
      EXPECT_LE(call.bounds.x0, call.bounds.x1);
      EXPECT_LE(call.bounds.y0, call.bounds.y1);
    }
  }
}

TEST_F(TimelineChartTest, SaysWhatWasLostAndWhatRecordingChanged) {
  EXPECT_FALSE(frame().says("lost"));
  EXPECT_FALSE(frame().says("recorded steps take"));
  testing::lose_records(*run, 4321);
  EXPECT_TRUE(frame().says("4,321 records lost"));
  run->timed_steps.clear();
  run->probe_steps.clear();
  for (int i = 0; i < 40; ++i) {
    run::SampleUpdate sample;
    sample.id = run->id;
    sample.times.begin_ns = i * 30;
    sample.times.total_ns = i % 2 == 0 ? 100 : 192;
    sample.kind = i % 2 == 0 ? run::SampleUpdate::Kind::timed : run::SampleUpdate::Kind::probe;
    run->apply(sample);
  }
  EXPECT_TRUE(frame().says("recorded steps take 92 % longer"));
}

TEST_F(TimelineChartTest, TheLaunchQueueOfAGpuLiesBelowItsIdleTimes) {
  testing::add_gpu(*run, strings);
  run->finished = true;
  area.y1 = 1200;
  std::int64_t most = 0;
  for (const stats::QueuePoint& point : stats::queue_depth(run->trace, 0))
    most = std::max(most, point.depth);
  ASSERT_GT(most, 0);
  const RecordingSink sink = frame();
  const auto text = [&](const std::string& words) {
    return std::ranges::count_if(sink.calls, [&](const auto& call) {
      return call.kind == Kind::text && call.text == words;
    });
  };
  EXPECT_EQ(text("Launch queue"), 1);
  EXPECT_EQ(text("up to " + std::to_string(most)), 1);
  // Another run has another queue, or none.
  run = testing::transformer_run(strings, {});
  run->id = 99;
  EXPECT_EQ(std::ranges::count_if(frame().calls,
                                  [](const auto& call) { return call.text == "Launch queue"; }),
            0);
}

TEST_F(TimelineChartTest, CountersOfATraceLieBelowItsTracks) {
  run::StartedUpdate started;
  files::OpenedTrace trace{{}, run::Run(started), {}, {}};
  base::StringTable& names = *trace.about.strings;
  const std::int64_t end_ns = run->trace.range().end;
  trace.counters = {{"1", names.intern("GPU Util"), names.intern("SM"), {{end_ns / 2, 4}}},
                    {"1", names.intern("Power"), names.intern("Power"), {{1, -3}, {2, 75.5}}}};
  opened = &trace;
  area.y1 = 1600;
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("GPU Util: SM"));
  EXPECT_TRUE(sink.says("4 to 4"));
  EXPECT_TRUE(sink.says("Power"));
  EXPECT_TRUE(
      sink.says("\xe2\x88\x92"
                "3 to 75.5"));
  // Another run has other counters, or none.
  opened = nullptr;
  run = testing::transformer_run(strings, {});
  run->id = 99;
  EXPECT_FALSE(frame().says("GPU Util: SM"));
}

TEST_F(TimelineChartTest, AStripGoesFromZeroOrTheLeastToTheMost) {
  base::StringTable names;
  const std::vector<trace_file::Counter> counters = {
      {"1", names.intern("a"), names.intern("x"), {{10, 1}, {20, 4}}},
      {"2", names.intern("a"), names.intern("x"), {{10, -4}, {20, 4}, {30, 0}}},
      {"2", names.intern("b"), base::kNoString, {{10, 0}}}};
  const auto strips = counter_strips(counters, names);
  ASSERT_EQ(strips.size(), 3U);
  EXPECT_EQ(strips[0].name, "a: x (1)");
  EXPECT_EQ(strips[0].points[0].depth, CounterStrip::kTop / 4);
  EXPECT_EQ(strips[0].points[1].depth, CounterStrip::kTop);
  EXPECT_EQ(strips[1].points[0].depth, 0);
  EXPECT_EQ(strips[1].points[2].depth, CounterStrip::kTop / 2);
  EXPECT_EQ(strips[2].name, "b (2)");
  EXPECT_EQ(strips[2].points[0].depth, 0);
  TimeAxis axis;
  axis.range = {0, 40};
  axis.x0 = 0;
  axis.x1 = 4;
  std::vector<CounterColumn> columns;
  counter_columns(strips[0], axis, columns);
  EXPECT_FALSE(columns[0].known) << "before the first point";
  EXPECT_TRUE(columns[1].known);
  EXPECT_EQ(columns[3].last, CounterStrip::kTop);
}

TEST_F(TimelineChartTest, ColumnsOfAQueueHaveWhatHappensInsideThem) {
  const std::vector<stats::QueuePoint> points = {{10, 1}, {12, 5}, {13, 2}, {30, 0}};
  TimeAxis axis;
  axis.range = {0, 40};
  axis.x0 = 0;
  axis.x1 = 4;
  std::vector<CounterColumn> columns;
  counter_columns(points, axis, columns);
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[0].most, 0);
  EXPECT_EQ(columns[1].least, 0) << "the value it starts with counts too";
  EXPECT_EQ(columns[1].most, 5);
  EXPECT_EQ(columns[1].last, 2);
  EXPECT_EQ(columns[2].least, 2);
  EXPECT_EQ(columns[2].most, 2);
  EXPECT_EQ(columns[3].last, 0);
}

TEST_F(TimelineChartTest, BoxesARowStayWithinTwiceThePixels) {
  run = testing::dense_run(strings, 300'000, 2);
  const RecordingSink sink = frame();
  const Rect& plot = chart.regions().plot;
  std::map<float, std::size_t> boxes;
  for (const auto& call : sink.calls)
    if (call.kind == Kind::fill && call.bounds.height() == 20 && call.bounds.x0 >= plot.x0)
      ++boxes[call.bounds.y0];
  ASSERT_GE(boxes.size(), 8U);
  for (const auto& [y, count] : boxes)
    EXPECT_LE(count, 2 * static_cast<std::size_t>(plot.width()) + 2) << y;
}

TEST_F(TimelineChartTest, NamesStayInsideTheirBoxes) {
  const base::TimeRange all = run->trace.range();
  std::mt19937 random(7);
  std::size_t names = 0;
  for (int i = 0; i < 30; ++i) {
    const auto at = static_cast<std::int64_t>(random() % static_cast<unsigned>(all.length()));
    state.visible = {all.begin + at, all.begin + at + 1'000'000 + all.length() / 40};
    const RecordingSink sink = frame();
    const Rect& plot = chart.regions().plot;
    std::vector<Rect> boxes;
    for (const auto& call : sink.calls)
      if (call.kind == Kind::fill && call.bounds.height() == 20) boxes.push_back(call.bounds);
    for (const auto& call : sink.calls) {
      if (call.kind != Kind::text || call.bounds.x0 < plot.x0) continue;
      if (call.bounds.y0 < plot.y0 || call.bounds.y1 > plot.y1) continue;
      ++names;
      bool held = false;
      for (const Rect& box : boxes)
        held = held || (call.bounds.x0 >= box.x0 && call.bounds.x1 <= box.x1 + 0.5F &&
                        call.bounds.y0 >= box.y0 && call.bounds.y1 <= box.y1);
      EXPECT_TRUE(held) << call.text;
    }
  }
  EXPECT_GT(names, 300U);
}

TEST_F(TimelineChartTest, FollowsARunningRunUntilTheUserZooms) {
  testing::TransformerShape shape;
  shape.stop_after = 0.3;
  run = testing::transformer_run(strings, shape);
  frame();
  EXPECT_TRUE(state.visible.empty());
  ChartInput wheel;
  wheel.hovered = true;
  wheel.mouse = inside_plot(0.5F, 30);
  wheel.wheel = 2;
  frame(wheel);
  EXPECT_FALSE(state.visible.empty());
  const base::TimeRange zoomed = state.visible;
  frame();
  EXPECT_EQ(state.visible, zoomed);
  ChartInput fit;
  fit.fit = true;
  frame(fit);
  settle();
  EXPECT_TRUE(state.visible.empty());
}

TEST_F(TimelineChartTest, WheelKeepsTheTimeUnderTheMouse) {
  frame();
  ChartInput wheel;
  wheel.hovered = true;
  wheel.mouse = inside_plot(0.3F, 30);
  frame(wheel);
  const std::int64_t under = *state.cursor_ns;
  wheel.wheel = 1;
  for (int i = 0; i < 10; ++i) frame(wheel);
  wheel.wheel = 0;
  frame(wheel);
  EXPECT_NEAR(static_cast<double>(*state.cursor_ns - under), 0,
              static_cast<double>(state.visible.length()) / 400);
}

TEST_F(TimelineChartTest, ClickSelectsAndDoubleClickZooms) {
  frame();
  ChartInput press;
  press.hovered = true;
  press.mouse = inside_plot(0.06F, 70);  // the outermost module of the first forward
  press.left_pressed = true;
  press.left_down = true;
  frame(press);
  EXPECT_FALSE(state.selected_slice);
  ChartInput release;
  release.hovered = true;
  release.mouse = press.mouse;
  frame(release);
  ASSERT_TRUE(state.selected_slice);
  const trace::Slice selected = run->trace.slice(*state.selected_slice);
  EXPECT_EQ(strings.view(selected.name), "LM.forward");
  ChartInput twice = release;
  twice.double_clicked = true;
  frame(twice);
  EXPECT_TRUE(chart.moving());
  settle();
  EXPECT_LE(state.visible.begin, selected.begin_ns);
  EXPECT_GE(state.visible.end, selected.end_ns());
  EXPECT_LT(state.visible.length(), selected.duration_ns * 3 / 2);
}

TEST_F(TimelineChartTest, DragPansAndDoesNotSelect) {
  const base::TimeRange all = run->trace.range();
  state.visible = {all.begin + all.length() / 4, all.begin + all.length() / 2};
  frame();
  const base::TimeRange before = state.visible;
  ChartInput press;
  press.hovered = true;
  press.mouse = inside_plot(0.5F, 70);
  press.left_pressed = press.left_down = true;
  frame(press);
  ChartInput move = press;
  move.left_pressed = false;
  move.mouse.x += 100;
  frame(move);
  move.left_down = false;
  frame(move);
  EXPECT_FALSE(state.selected_slice);
  const double per_pixel =
      static_cast<double>(before.length()) / static_cast<double>(chart.regions().plot.width());
  EXPECT_NEAR(static_cast<double>(before.begin - state.visible.begin), 100 * per_pixel,
              per_pixel * 2);
  EXPECT_EQ(before.length(), state.visible.length());
}

TEST_F(TimelineChartTest, ShiftDragZoomsToTheBox) {
  frame();
  ChartInput press;
  press.hovered = true;
  press.shift = true;
  press.mouse = inside_plot(0.2F, 40);
  press.left_pressed = press.left_down = true;
  frame(press);
  ChartInput move = press;
  move.left_pressed = false;
  move.mouse = inside_plot(0.4F, 60);
  const RecordingSink drawn = frame(move);
  EXPECT_TRUE(state.visible.empty());
  move.left_down = false;
  frame(move);
  settle();
  const base::TimeRange all = run->trace.range();
  EXPECT_NEAR(static_cast<double>(state.visible.length()), 0.2 * static_cast<double>(all.length()),
              0.01 * static_cast<double>(all.length()));
}

TEST_F(TimelineChartTest, MarkSaysDurationSlicesAndBusy) {
  frame();
  ChartInput mark;
  mark.mark = true;
  frame(mark);
  ASSERT_TRUE(state.marked);
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("busy"));
  EXPECT_TRUE(sink.says("ops"));
  frame(mark);
  EXPECT_FALSE(state.marked);
}

TEST_F(TimelineChartTest, ALabelFoldsItsTrack) {
  frame();
  EXPECT_TRUE(frame().says("LM.forward"));
  ChartInput press;
  press.hovered = true;
  press.mouse = {chart.regions().labels.x0 + 20, chart.regions().labels.y0 + 80};
  press.left_pressed = press.left_down = true;
  frame(press);
  press.left_pressed = press.left_down = false;
  frame(press);
  EXPECT_FALSE(frame().says("LM.forward"));
}

TEST_F(TimelineChartTest, ALowPanelFoldsThreadsUntilTheUserOpensThem) {
  area.y1 = area.y0 + 190;
  EXPECT_FALSE(frame().says("LM.forward"));
  ChartInput press;
  press.hovered = true;
  press.mouse = {chart.regions().labels.x0 + 20, chart.regions().labels.y0 + 68};
  press.left_pressed = press.left_down = true;
  frame(press);
  press.left_pressed = press.left_down = false;
  frame(press);
  EXPECT_TRUE(frame().says("LM.forward"));
}

TEST_F(TimelineChartTest, SearchStepsSelectAndShowTheHit) {
  state.search = "softmax";
  frame();
  ViewContext view = context();
  EXPECT_NE(chart.hit_text(view), "");
  EXPECT_NE(chart.hit_text(view), texts("timeline.search.none"));
  chart.step_search(1, view);
  ASSERT_TRUE(state.selected_slice);
  settle();
  const trace::Slice hit = run->trace.slice(*state.selected_slice);
  EXPECT_LE(state.visible.begin, hit.begin_ns);
  EXPECT_GE(state.visible.end, hit.end_ns());
  state.search = "no such operator";
  frame();
  ViewContext after = context();
  EXPECT_EQ(chart.hit_text(after), texts("timeline.search.none"));
}

TEST_F(TimelineChartTest, ASelectedForwardSliceIsLinkedToItsBackward) {
  const RecordingSink without = frame();
  state.selected_slice = trace::SliceRef{1, 3, 3};
  ASSERT_TRUE(run->trace.flow_partner(*state.selected_slice));
  const RecordingSink with = frame();
  EXPECT_EQ(without.count(Kind::polyline), 0U);
  EXPECT_EQ(with.count(Kind::polyline), 1U);
}

TEST_F(TimelineChartTest, ForgetsPlacesOfTheRunBefore) {
  frame();
  state.selected_slice = trace::SliceRef{1, 3, 300};
  state.marked = base::TimeRange{1, 2};
  state.visible = {run->trace.range().begin, run->trace.range().begin + 1000};
  run = testing::dense_run(strings, 100, 1);
  run->id = 2;
  frame();
  EXPECT_FALSE(state.selected_slice);
  EXPECT_FALSE(state.marked);
  EXPECT_TRUE(state.visible.empty());
  run.reset();
  EXPECT_TRUE(frame().says(texts("timeline.empty_hint")));
}

// Before the first run: what to press, and every track that a run fills with what it will tell.
TEST_F(TimelineChartTest, ShowsWhatWillBeThereBeforeAnythingRan) {
  run.reset();
  const RecordingSink full = frame();
  EXPECT_TRUE(full.says(texts("timeline.empty_hint")));
  for (const char* const key :
       {"timeline.track.phases", "timeline.empty.phases", "timeline.track.cpu_thread",
        "timeline.empty.cpu", "timeline.empty.autograd", "timeline.empty.gpu", "timeline.allocated",
        "timeline.empty.allocated"}) {
    EXPECT_TRUE(full.says(texts(key))) << key;
  }
  // The sentence is whole however narrow the panel is.
  area = {20, 30, 420, 400};
  std::string sentence;
  for (const RecordingSink::Call& call : frame().calls) {
    if (call.style == TextStyle::body && call.kind == Kind::text) sentence += call.text + " ";
    EXPECT_LE(call.bounds.x1, area.x1) << call.text;
  }
  EXPECT_NE(sentence.find(texts("timeline.empty_hint")), std::string::npos) << sentence;
  // A small panel has as many as fit.
  area = {20, 30, 700, 190};
  const RecordingSink small = frame();
  EXPECT_TRUE(small.says(texts("timeline.track.phases")));
  EXPECT_FALSE(small.says(texts("timeline.allocated")));
}

TEST_F(TimelineChartTest, ThreadsAreNamedInTheUsersLanguage) {
  const RecordingSink english = frame();
  EXPECT_TRUE(english.says("worker"));
  EXPECT_TRUE(english.says("autograd 0"));
  texts.choose(text::Language::zh_cn);
  const RecordingSink chinese = frame();
  EXPECT_FALSE(chinese.says("worker"));
  EXPECT_FALSE(chinese.says("autograd 0"));
}

TEST_F(TimelineChartTest, SurvivesASelectionThatIsNotInTheStore) {
  state.selected_slice = trace::SliceRef{9, 9, 9};
  ChartInput keys;
  keys.fit = true;
  keys.mark = true;
  frame(keys);
  settle();
  // Fit, marks and drawing are the same as without a selection.
  EXPECT_TRUE(state.visible.empty());
  const auto marked = state.marked;
  EXPECT_TRUE(marked);
  const auto drawn = frame().count(Kind::fill);
  state.selected_slice.reset();
  EXPECT_EQ(frame().count(Kind::fill), drawn);
  state.marked.reset();
  frame(keys);
  settle();
  EXPECT_EQ(state.marked, marked);
}

}  // namespace
}  // namespace ts::views
