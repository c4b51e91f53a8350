#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "core/allocator/snapshot_of_log.h"
#include "core/text/numbers.h"
#include "tests/views/gpu_run.h"
#include "tests/views/memory_chart_fixture.h"
#include "views/charts/labels.h"

namespace ts::views {
namespace {

using testing::kGiB;
using testing::MemoryChartTest;
using testing::RecordingSink;
using Kind = RecordingSink::Kind;

// Live tensors, what the allocator holds and what is taken on the device, whatever the room.
TEST_F(MemoryChartTest, TheLayersOfADeviceAreInSightAtAnyHeight) {
  testing::add_gpu(*run, strings);
  const auto lines_of = [](const RecordingSink& sink, Color color) {
    return std::ranges::count_if(sink.calls, [&](const auto& call) {
      return call.kind == Kind::polyline && call.color == color;
    });
  };
  const auto label = [](const RecordingSink& sink, const char* words) {
    return std::ranges::count_if(sink.calls,
                                 [&](const auto& call) { return call.text.find(words) == 0; });
  };
  const Theme& colors = theme(ThemeKind::light);
  for (float height = 260; height < 1500; height += 37) {
    area.y1 = area.y0 + height;
    const RecordingSink sink = frame();
    EXPECT_GE(lines_of(sink, colors.accent), 1) << height;
    EXPECT_GE(lines_of(sink, colors.warn), 1) << height;
    EXPECT_EQ(label(sink, "used on the device"), 1) << height;
  }
  // Others have taken far more than what is ours: it is told without its line.
  for (run::StepTimes& step : run->recorded_steps) step.gpu->used_bytes = 200 * kGiB;
  run->id += 1;
  const RecordingSink sink = frame();
  EXPECT_EQ(lines_of(sink, colors.warn), 0);
  EXPECT_EQ(label(sink, "used on the device 200"), 1);
}

TEST_F(MemoryChartTest, DrawsNothingOutsideItsPanelAtAnySizeOrScale) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    scale = 0.75F + static_cast<float>(random() % 10) * 0.25F;
    const float width = 120 + static_cast<float>(random() % 2400);
    const float height = 30 + static_cast<float>(random() % 1200);
    area = {20, 30, 20 + width, 30 + height};
    testing::TransformerShape shape;
    shape.layers = 3;
    if (i % 5 == 1) shape.stop_after = 0.4;
    if (i % 5 == 2) shape.memory_limit = 2 * kGiB;
    shape.micro_batches = 1 + i % 3;
    shape.checkpoint = i % 2 == 1;
    run = testing::transformer_run(strings, shape);
    run->id = static_cast<run::RunId>(i + 2);
    state.memory_axis = i % 2 == 0 ? memory::Axis::time : memory::Axis::event;
    state.block_colors = static_cast<BlockColors>(i % 7 % 3);
    target_bytes = (i % 4) * 3 * kGiB;
    predict((i % 3) * kGiB, (i % 2) * kGiB / 2);
    ChartInput input;
    input.hovered = true;
    input.mouse = {area.x0 + static_cast<float>(random() % 1000) / 1000 * width,
                   area.y0 + static_cast<float>(random() % 1000) / 1000 * height};
    state.selected_block = static_cast<memory::BlockIndex>(random() % 60);
    frame(input);
    const RecordingSink sink = frame(input);
    EXPECT_EQ(sink.open_clips(), 0U);
    for (const auto& call : sink.calls) {
      EXPECT_GE(call.clip.x0, area.x0);
      EXPECT_GE(call.clip.y0, area.y0);
      EXPECT_LE(call.clip.x1, area.x1);
      EXPECT_LE(call.clip.y1, area.y1);
      if (call.kind != Kind::fill && call.kind != Kind::outline) continue;
      EXPECT_LE(call.bounds.x0, call.bounds.x1) << i;
      EXPECT_LE(call.bounds.y0, call.bounds.y1) << i;
    }
  }
}

// A legend with too little room names what the chart shows before what it does not have.
TEST_F(MemoryChartTest, TheLegendKeepsTheCategoriesThatThereAre) {
  area.x1 = area.x0 + 1300;
  frame();  // the chart sees the blocks before their categories are decided
  // Parameters and activations are alive at the peak, temporaries are not; there is nothing else.
  const std::vector<memory::BlockIndex> at_peak = run->memory.live_after(run->memory.peak_event());
  std::vector<memory::Category> decided(run->memory.blocks().size(), memory::Category::temporary);
  for (const memory::BlockIndex block : at_peak)
    decided[block] = block % 2 == 0 ? memory::Category::parameter : memory::Category::activation;
  const auto phases = run->memory.phases();
  run->memory.decide(decided, {phases.begin(), phases.end()});
  const std::set<memory::Category> present(decided.begin(), decided.end());
  ASSERT_EQ(present.size(), 3U);
  int left_out = 0;
  for (float width = 260; width < 1300; width += 20) {
    area.x1 = area.x0 + width;
    frame();
    const RecordingSink sink = frame();
    std::size_t named = 0, absent = 0;
    for (std::size_t i = 0; i < memory::kCategoryCount; ++i) {
      const auto category = static_cast<memory::Category>(i);
      const bool shown = std::ranges::any_of(
          sink.calls, [&](const auto& call) { return call.text == texts(category_key(category)); });
      (present.contains(category) ? named : absent) += shown ? 1 : 0;
    }
    if (named == present.size()) continue;
    left_out += named > 0 ? 1 : 0;
    EXPECT_EQ(absent, 0U) << width;
  }
  EXPECT_GT(left_out, 3);
}

// Few bytes that stay fill more of the picture than many that come and go.
TEST_F(MemoryChartTest, TheLegendKeepsWhatFillsThePicture) {
  files::OpenedFile opened;
  file = &opened;
  const auto blocks = run->memory.blocks();
  std::vector<memory::Category> decided(blocks.size(), memory::Category::unknown);
  memory::CategoryBytes bytes{};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].free_event != memory::kNone)
      decided[i] = static_cast<memory::Category>(i % (memory::kCategoryCount - 2));
    bytes[static_cast<std::size_t>(decided[i])] += blocks[i].size;
  }
  // None is the last of the named ones, and every other has more bytes than the unknown in all.
  const auto none = static_cast<memory::Category>(memory::kCategoryCount - 2);
  for (std::size_t i = 0; i < memory::kCategoryCount - 2; ++i)
    ASSERT_GT(bytes[i], bytes[static_cast<std::size_t>(memory::Category::unknown)]) << i;
  run->memory.decide(decided, {});
  const auto named = [this](const RecordingSink& sink, memory::Category category) {
    const Rect& plot = chart.regions().plot;
    return std::ranges::any_of(sink.calls, [&](const auto& call) {
      return call.text == texts(category_key(category)) && call.bounds.y1 <= plot.y0;
    });
  };
  area = {0, 0, 1260, 300};
  for (const float width : {1260.0F, 570.0F, 420.0F, 300.0F}) {
    area.x1 = width;
    for (const memory::Axis axis : {memory::Axis::time, memory::Axis::event}) {
      state.memory_axis = axis;
      frame();
      const RecordingSink sink = frame();
      EXPECT_TRUE(named(sink, memory::Category::unknown)) << width;
      EXPECT_FALSE(named(sink, none)) << width << ": the file has none and gets none";
    }
  }
}

TEST_F(MemoryChartTest, NeverWritesOneWordOverAnother) {
  for (const float width : {500.0F, 900.0F, 1240.0F, 1900.0F}) {
    for (const std::int64_t target : {std::int64_t{0}, 16 * kGiB, 24 * kGiB, 80 * kGiB}) {
      for (const auto& [refused, chain] : {std::pair(false, std::int64_t{0}),
                                           {false, kGiB / 64},
                                           {false, 3 * kGiB},
                                           {true, kGiB}}) {
        area = {20, 30, 20 + width, 560};
        target_bytes = target;
        testing::TransformerShape shape;
        shape.memory_limit = refused ? 9 * kGiB : 0;
        run = testing::transformer_run(strings, shape);
        if (refused) target_bytes = 9 * kGiB;
        outlook.reset();
        if (chain > 0) predict(chain);
        const RecordingSink sink = frame();
        std::vector<const RecordingSink::Call*> words;
        for (const auto& call : sink.calls)
          if (call.kind == Kind::text) words.push_back(&call);
        for (std::size_t a = 0; a < words.size(); ++a) {
          for (std::size_t b = a + 1; b < words.size(); ++b) {
            const Rect p = words[a]->seen();
            const Rect q = words[b]->seen();
            const bool meet =
                p.x0 < q.x1 - 1 && q.x0 < p.x1 - 1 && p.y0 < q.y1 - 3 && q.y0 < p.y1 - 3;
            EXPECT_FALSE(meet) << words[a]->text << " / " << words[b]->text << " at " << width;
          }
        }
      }
    }
  }
}

// Zoomed in on one step: the words and where they stand.
TEST_F(MemoryChartTest, NamesMicroBatchesUnderTheStepsTheyBelongTo) {
  testing::TransformerShape shape;
  shape.layers = 2;
  shape.steps = 1;
  shape.micro_batches = 4;
  run = testing::transformer_run(strings, shape);
  run->id = 99;
  area = {20, 30, 1900, 560};
  const RecordingSink sink = frame();
  float before = 0;
  for (int i = 1; i <= 4; ++i) {
    const std::string words = "step 1, micro-batch " + std::to_string(i) + " of 4";
    ASSERT_TRUE(sink.says(words)) << words;
    for (const auto& call : sink.calls) {
      if (call.kind != Kind::text || call.text != words) continue;
      EXPECT_GE(call.bounds.x0, before) << "they stand in their order and not over one another";
      EXPECT_GE(call.bounds.y0, chart.regions().steps.y0 - 1);
      before = call.bounds.x1;
    }
  }
  // Less room, fewer words; then the step alone.
  area.x1 = 20 + 700;
  EXPECT_TRUE(frame().says("micro-batch 4 of 4"));
  EXPECT_FALSE(frame().says("step 1"));
  area.x1 = 20 + 210;
  EXPECT_TRUE(frame().says("step 1"));
}

TEST_F(MemoryChartTest, NamesWhatABackwardComputesAgain) {
  testing::TransformerShape shape;
  shape.layers = 3;
  shape.steps = 1;
  run = testing::transformer_run(strings, shape);
  run->id = 98;
  area = {20, 30, 6000, 560};
  EXPECT_FALSE(frame().says("recompute"));
  shape.checkpoint = true;
  run = testing::transformer_run(strings, shape);
  run->id = 97;
  const RecordingSink sink = frame();
  float before = 0;
  for (const int layer : {2, 1, 0}) {
    const std::string words = "recompute blocks." + std::to_string(layer) + ".attn";
    ASSERT_TRUE(sink.says(words)) << words;
    for (const auto& call : sink.calls) {
      if (call.kind != Kind::text || call.text != words) continue;
      EXPECT_GE(call.bounds.x0, before) << "the last layer first";
      EXPECT_GE(call.bounds.y0, chart.regions().bands.y0 - 1);
      EXPECT_LE(call.bounds.y1, chart.regions().bands.y1 + 1);
      before = call.bounds.x1;
    }
  }
  EXPECT_TRUE(sink.says("backward")) << "between them";
}

TEST_F(MemoryChartTest, TellsPeakCapacityAndSpare) {
  predict(2 * kGiB);
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Peak"));
  EXPECT_TRUE(sink.says("RTX 4090"));
  EXPECT_TRUE(sink.says("to spare"));
  EXPECT_TRUE(sink.says("GiB"));
  EXPECT_TRUE(sink.says("backward"));
  EXPECT_TRUE(sink.says("step 3"));
  EXPECT_TRUE(sink.says("Live at the peak"));
}

// A recording does not tell when such a block was allocated, nor how long it lived.
TEST_F(MemoryChartTest, HoverTellsABlockFromBeforeTheRecording) {
  files::OpenedFile opened;
  file = &opened;
  frame();
  frame();
  RecordingSink known = frame(over(0.46F, 0.98F));
  float y = 0.98F;
  const auto ends = [&] {
    return state.hovered_block &&
           run->memory.blocks()[*state.hovered_block].free_event != memory::kNone;
  };
  while (!ends() && y > 0) known = frame(over(0.46F, y -= 0.02F));
  ASSERT_TRUE(ends());
  EXPECT_TRUE(known.says("lived"));
  EXPECT_FALSE(known.says("before the recording"));
  blocks_before = *state.hovered_block + 1;
  const RecordingSink earlier = frame(over(0.46F, y));
  EXPECT_TRUE(earlier.says("from before the recording to"));
  EXPECT_FALSE(earlier.says("lived"));
}

TEST_F(MemoryChartTest, HoverTellsTheBlockAndClickSelectsItsOperator) {
  frame();
  frame();  // with the legend in its place
  const RecordingSink hovered = frame(over(0.46F, 0.6F));
  ASSERT_TRUE(state.hovered_block);
  const memory::Block block = run->memory.blocks()[*state.hovered_block];
  EXPECT_TRUE(hovered.says(strings.view(block.op)));
  EXPECT_TRUE(hovered.says("lived"));
  EXPECT_TRUE(state.cursor_ns);
  click(over(0.46F, 0.6F));
  ASSERT_TRUE(state.selected_block);
  ASSERT_TRUE(state.selected_slice);
  const trace::Slice maker = run->trace.slice(*state.selected_slice);
  EXPECT_EQ(maker.name, block.op);
  EXPECT_LE(maker.begin_ns, run->memory.events()[block.alloc_event].time_ns);
  click(over(0.46F, 0.02F));
  EXPECT_FALSE(state.selected_block);
}

TEST_F(MemoryChartTest, HoverOverThePeaksPlateTellsItsBytes) {
  frame();
  const RecordingSink still = frame();
  const auto plate = std::find_if(still.calls.begin(), still.calls.end(), [](const auto& call) {
    return call.text.starts_with("Peak of tensors ");
  });
  ASSERT_NE(plate, still.calls.end());
  const std::string bytes = text::grouped(run->memory.peak_bytes()) + " bytes";
  EXPECT_FALSE(still.says(bytes));
  ChartInput input;
  input.hovered = true;
  input.mouse = {plate->bounds.x0 + 2, (plate->bounds.y0 + plate->bounds.y1) / 2};
  EXPECT_TRUE(frame(input).says(bytes));
}

// The stack is drawn from records: with losses its peak is not that of the run.
TEST_F(MemoryChartTest, SaysThatRecordsWereLostAndWhatTheAllocatorCounted) {
  EXPECT_FALSE(frame().says("lost"));
  testing::lose_records(*run, 4321);
  run->apply(run::PeakUpdate{run->id, 22 * kGiB});
  const RecordingSink lossy = frame();
  EXPECT_TRUE(lossy.says("4,321 records lost"));
  EXPECT_TRUE(lossy.says("Peak of the records"));
  EXPECT_TRUE(lossy.says("of the allocator 22.00 GiB"));
  for (const auto& call : lossy.calls) {
    if (call.text.find("4,321 records lost") == std::string::npos) continue;
    EXPECT_EQ(call.color, theme(ThemeKind::light).warn);
    EXPECT_GE(call.bounds.x0, chart.regions().plot.x0);
    EXPECT_LE(call.bounds.x1, chart.regions().plot.x1);
    EXPECT_LE(call.bounds.y1, chart.regions().plot.y1);
  }
}

TEST_F(MemoryChartTest, LinkedZoomMovesTheTimeline) {
  frame();
  ChartInput wheel = over(0.5F, 0.5F);
  wheel.wheel = 3;
  frame(wheel);
  EXPECT_FALSE(state.visible.empty());
  EXPECT_LT(state.visible.length(), run->trace.range().length());
  // On the event axis the timeline follows too.
  state.memory_axis = memory::Axis::event;
  state.visible = {};
  frame();
  frame(wheel);
  EXPECT_FALSE(state.visible.empty());
}

TEST_F(MemoryChartTest, UnlinkedZoomLeavesTheTimelineAlone) {
  frame();
  ViewContext view = context();
  chart.use(MemoryChart::kLink, 0, view);
  EXPECT_FALSE(state.link_axes);
  frame();
  const RecordingSink all = frame();
  ChartInput wheel = over(0.5F, 0.5F);
  wheel.wheel = 6;
  frame(wheel);
  EXPECT_TRUE(state.visible.empty());
  const RecordingSink part = frame();
  EXPECT_TRUE(all.says("step 1"));
  EXPECT_FALSE(part.says("step 1"));
}

TEST_F(MemoryChartTest, AFarCapacityIsAWordAtTheEdge) {
  target_bytes = 140 * kGiB;
  predict(2 * kGiB);
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("RTX 4090"));
  EXPECT_FALSE(sink.says("to spare"));
  // The allocated memory still takes most of the height.
  float top = 1e9F;
  for (const auto& call : sink.calls)
    if (call.kind == Kind::fill && call.clip.y1 == chart.regions().plot.y1)
      top = std::min(top, call.bounds.y0);
  EXPECT_LT(top, chart.regions().plot.y0 + 60);
}

// The memory that a card would have to reserve lies a few pixels over what it has: its line strikes
// out neither the name of the card nor that of its context.
TEST_F(MemoryChartTest, NamesKeepOffTheLineOfWhatIsReserved) {
  const std::int64_t peak = run->memory.peak_bytes();
  target_bytes = peak + kGiB;
  predict(kGiB + peak / 30, kGiB / 8);
  const RecordingSink sink = frame();
  const Rect& plot = chart.regions().plot;
  const auto line = std::ranges::find_if(sink.calls, [&](const RecordingSink::Call& call) {
    return call.kind == Kind::fill && call.color == theme(ThemeKind::light).text2 &&
           call.bounds.x0 == plot.x0 && call.bounds.x1 == plot.x1 && call.bounds.height() == 1;
  });
  ASSERT_NE(line, sink.calls.end());
  int names = 0;
  for (const RecordingSink::Call& call : sink.calls) {
    const bool name = call.text.starts_with("RTX 4090   ") || call.text.starts_with("CUDA context");
    if (!name) continue;
    ++names;
    EXPECT_FALSE(call.bounds.y0 < line->bounds.y1 && line->bounds.y0 < call.bounds.y1) << call.text;
  }
  EXPECT_EQ(names, 2);
}

// The times of a predicted snapshot count events.
TEST_F(MemoryChartTest, AFileOfAPredictionHasAnAxisOfEvents) {
  files::OpenedFile opened;
  file = &opened;
  const auto has_unit = [this] {
    const RecordingSink sink = frame(over(0.5F, 0.9F));
    return std::ranges::any_of(sink.calls, [](const RecordingSink::Call& call) {
      return call.text == "ms" || call.text == "s" || call.text.ends_with(" ms");
    });
  };
  opened.file.snapshot = allocator::snapshot_of(run->memory, strings);
  frame();
  EXPECT_TRUE(has_unit());
  allocator::SnapshotOfLogOptions options;
  options.user_metadata = allocator::predicted_note("RTX 4090");
  opened.file.snapshot = allocator::snapshot_of(run->memory, strings, options);
  frame();
  EXPECT_FALSE(has_unit());
}

TEST_F(MemoryChartTest, AFileWithoutCategoriesSaysSo) {
  files::OpenedFile opened;
  file = &opened;
  area.x1 = 1900;  // room for the sentence beside the title
  const auto says = [this](const char* key) { return frame().says(texts(key)); };
  EXPECT_FALSE(says("memory.no_categories"));
  EXPECT_TRUE(says("memory.category.gradient"));
  const std::vector<memory::Category> unknown(run->memory.blocks().size(),
                                              memory::Category::unknown);
  run->memory.decide(unknown, {});
  run->id = 2;
  EXPECT_TRUE(says("memory.no_categories"));
  EXPECT_FALSE(says("memory.category.gradient")) << "neither in the legend nor in the list";
}

TEST_F(MemoryChartTest, ShowsTheLiveEdgeOnlyWhileRunning) {
  EXPECT_FALSE(frame().says("Live, step"));
  testing::TransformerShape shape;
  shape.stop_after = 0.5;
  run = testing::transformer_run(strings, shape);
  run->id = 2;
  EXPECT_TRUE(frame().says("Live, step 3"));
}

// A part of a run has not come to its peak: an error against the whole would mean nothing.
TEST_F(MemoryChartTest, APartialRunIsNamedSoAndNotComparedWithThePrediction) {
  forecast = std::make_unique<predict::Forecast>();
  forecast->id = 9;
  forecast->run.log = std::move(testing::transformer_run(strings, {})->memory);
  EXPECT_TRUE(frame().says("predicted"));
  testing::TransformerShape shape;
  shape.stop_after = 0.3;
  run = testing::transformer_run(strings, shape);
  run->id = 2;
  ASSERT_FALSE(run->finished);
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Peak of tensors so far"));
  EXPECT_TRUE(sink.says("Partial: the run goes on"));
  EXPECT_FALSE(sink.says(" %"));
}

TEST_F(MemoryChartTest, WhatIsOfOtherSettingsIsNamedAndFainter) {
  const auto faint = [](const RecordingSink& sink) {
    return std::ranges::count(sink.calls, with_alpha(theme(ThemeKind::light).surface, 0.55F),
                              &RecordingSink::Call::color);
  };
  EXPECT_EQ(faint(frame()), 0);
  stale = "naive, T = 512";
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("Of naive, T = 512"));
  EXPECT_EQ(faint(sink), 1);
}

// Prediction and run lie on one axis, so that nothing flips from change to change.
TEST_F(MemoryChartTest, WhileLiveIsOnEverythingIsShownByEvents) {
  area.x1 = 1700;
  EXPECT_FALSE(frame().says("events"));
  live = true;
  EXPECT_TRUE(frame().says("events"));
  ViewContext view = context();
  view.live = true;
  chart.use(MemoryChart::kAxis, 0, view);
  EXPECT_FALSE(frame().says("events"));
  EXPECT_EQ(state.memory_axis, memory::Axis::time) << "Live has a choice of its own";
}

TEST_F(MemoryChartTest, ControlsChangeWhatIsShown) {
  area.x1 = 1900;
  frame();
  ViewContext view = context();
  chart.use(MemoryChart::kAxis, 0, view);
  EXPECT_EQ(state.memory_axis, memory::Axis::event);
  chart.use(MemoryChart::kColor, 0, view);
  EXPECT_EQ(state.block_colors, BlockColors::stack) << "with a key the next one";
  chart.use(MemoryChart::kColor, chart.item(MemoryChart::kColor).x1 - 2, view);
  EXPECT_EQ(state.block_colors, BlockColors::allocation);
  chart.use(MemoryChart::kColor, chart.item(MemoryChart::kColor).x0 + 2, view);
  EXPECT_EQ(state.block_colors, BlockColors::category);
  const Rect slider = chart.item(MemoryChart::kDetail);
  ASSERT_GT(slider.width(), 0);
  chart.use(MemoryChart::kDetail, slider.x0 - 500, view);
  EXPECT_EQ(state.detail, 0U);
  const RecordingSink sink = frame();
  EXPECT_TRUE(sink.says("events"));
  EXPECT_TRUE(sink.says("Largest 0 of "));
}

// A log that nothing changes any more is laid out on another thread, to the same picture.
TEST_F(MemoryChartTest, ALargeOpenedLogIsLaidOutBesideTheFrame) {
  const auto owner = std::shared_ptr<run::Run>(testing::busy_memory_run(strings, 120'000, 3));
  const auto picture = [&](bool background) {
    StackCache cache;
    MemorySource source;
    source.kind = MemorySource::Kind::opened;
    source.log = &owner->memory;
    if (background) source.owner = owner;
    const Rect plot{0, 0, 700, 300};
    const MemoryAxis axis{memory::Axis::event,
                          {all_places(owner->memory, memory::Axis::event), plot.x0, plot.x1}};
    const MemoryScale bytes = choose_scale(plot, owner->memory.peak_bytes(), 0, 20);
    for (std::int64_t time = 1; time == 1 || cache.stale(); ++time) {
      cache.update({source, strings, axis, bytes, {}, memory::kNone, time * 16'000'000});
      if (background && time == 1) {
        EXPECT_TRUE(cache.layout().columns.empty()) << "the frame does not wait";
      }
    }
    RecordingSink sink(1);
    cache.draw(sink, axis, bytes);
    std::vector<std::pair<float, Color>> fills;
    for (const auto& call : sink.calls) fills.emplace_back(call.bounds.x0, call.color);
    return fills;
  };
  const auto here = picture(false);
  EXPECT_GT(here.size(), 1000U);
  EXPECT_EQ(picture(true), here);
}

// Whoever closes the file does not wait for what was asked of it.
TEST_F(MemoryChartTest, AClosedLogIsKeptUntilItsPictureIsDropped) {
  auto owner = std::shared_ptr<run::Run>(testing::busy_memory_run(strings, 120'000, 3));
  const std::weak_ptr<run::Run> watched = owner;
  {
    StackCache cache;
    MemorySource source;
    source.log = &owner->memory;
    source.owner = owner;
    const Rect plot{0, 0, 700, 300};
    const MemoryAxis axis{memory::Axis::event,
                          {all_places(owner->memory, memory::Axis::event), plot.x0, plot.x1}};
    const MemoryScale bytes = choose_scale(plot, owner->memory.peak_bytes(), 0, 20);
    cache.update({source, strings, axis, bytes, {}, memory::kNone, 1});
    source.owner.reset();
    owner.reset();
    cache.clear();
  }
  EXPECT_TRUE(watched.expired());
}

TEST_F(MemoryChartTest, SaysSoWhenThereIsNothing) {
  run.reset();
  EXPECT_TRUE(frame().says(texts("memory.empty")));
  run = std::make_unique<run::Run>(run::StartedUpdate{});
  EXPECT_TRUE(frame().says(texts("memory.waiting")));
  const files::OpenedTrace opened{{}, run::Run(run::StartedUpdate{}), {}, {}};
  trace = &opened;
  EXPECT_TRUE(frame().says(texts("memory.none_in_trace")));
  trace = nullptr;
}

TEST_F(MemoryChartTest, AWorstCaseStillDrawsInFewRectangles) {
  run = testing::busy_memory_run(strings, 100'000, 3);
  run->id = 2;
  const RecordingSink sink = frame();
  const Rect& plot = chart.regions().plot;
  EXPECT_LT(sink.count(Kind::fill), static_cast<std::size_t>(plot.width() * plot.height() / 2));
}

}  // namespace
}  // namespace ts::views
