#include <gtest/gtest.h>

#include <random>

#include "tests/views/synthetic_run.h"
#include "views/charts/run_time.h"
#include "views/charts/viewport.h"
#include "views/timeline/counter_row.h"
#include "views/timeline/draw_tracks.h"
#include "views/timeline/hover_text.h"
#include "views/timeline/lane_cache.h"
#include "views/timeline/marked_range.h"
#include "views/timeline/minimap.h"
#include "views/timeline/search_hits.h"
#include "views/timeline/slice_boxes.h"
#include "views/timeline/timeline_regions.h"
#include "views/timeline/track_rows.h"

namespace ts::views {
namespace {

using trace::SliceClass;
using trace::SliceRef;
using trace::TraceStore;

trace::Slice slice(std::int64_t begin, std::int64_t end, SliceClass slice_class,
                   base::StringId name = base::kNoString) {
  trace::Slice out;
  out.begin_ns = begin;
  out.duration_ns = end - begin;
  out.slice_class = slice_class;
  out.name = name;
  return out;
}

TEST(TimelineRegions, TileThePanelAtEverySize) {
  for (const float scale : {0.75F, 1.0F, 1.6F, 3.0F}) {
    for (float height = 40; height < 900; height += 23) {
      for (const float width : {200.0F, 700.0F, 1900.0F}) {
        const Rect area{7, 11, 7 + width, 11 + height};
        const TimelineRegions r = lay_out_timeline(area, Metrics{scale}, width > 300);
        for (const Rect* part :
             {&r.title, &r.legend, &r.map, &r.ruler, &r.plot, &r.counter, &r.labels}) {
          if (part->height() <= 0) continue;
          EXPECT_GE(part->x0, area.x0);
          EXPECT_GE(part->y0, area.y0);
          EXPECT_LE(part->x1, area.x1);
          EXPECT_LE(part->y1, area.y1) << height << " " << scale;
        }
        EXPECT_GE(r.plot.height(), 0);
        EXPECT_EQ(r.plot.x0, r.ruler.x0);
        EXPECT_EQ(r.plot.x1, r.counter.height() > 0 ? r.counter.x1 : r.plot.x1);
        // The counter goes after the minimap.
        if (r.has_counter()) {
          EXPECT_TRUE(r.has_map());
        }
      }
    }
  }
}

TEST(TimelineRegions, TheCounterTakesWhatTracksDoNotNeed) {
  TimelineRegions r = lay_out_timeline({0, 0, 1000, 800}, Metrics{1});
  const TimelineRegions before = r;
  give_room_to_counter(r, before.plot.height() + 10, Metrics{1});
  EXPECT_EQ(r.plot.y1, before.plot.y1);
  give_room_to_counter(r, 120, Metrics{1});
  EXPECT_EQ(r.plot.height(), 120);
  EXPECT_EQ(r.counter.y0, r.plot.y1);
  EXPECT_GT(r.counter.height(), before.counter.height());
  EXPECT_LE(r.counter.y1, before.all.y1);
  EXPECT_EQ(r.body().y1, r.counter.y1);
}

TEST(TimelineRegions, WithoutMemoryTheTracksHaveTheRoomOfTheCounter) {
  const TimelineRegions with = lay_out_timeline({0, 0, 1000, 400}, Metrics{1});
  const TimelineRegions without = lay_out_timeline({0, 0, 1000, 400}, Metrics{1}, false, false);
  EXPECT_TRUE(with.has_counter());
  EXPECT_FALSE(without.has_counter());
  EXPECT_EQ(without.plot.y1, 400);
  EXPECT_EQ(without.plot.y1 - with.plot.y1, with.counter.height());
}

TEST(TrackRows, OneRowADepthAndOneForACollapsedTrack) {
  TraceStore store;
  const auto thread = store.add_track({trace::TrackKind::cpu_thread, "main"});
  const auto phases = store.add_track({trace::TrackKind::phases, ""});
  store.add_track({trace::TrackKind::cpu_thread, "empty"});
  for (std::uint16_t depth = 0; depth < 3; ++depth)
    store.append(thread, depth, slice(0, 10, SliceClass::matmul));
  store.append(phases, 0, slice(0, 10, SliceClass::step));
  const TrackRows open = lay_out_tracks(store, {}, Metrics{1});
  ASSERT_EQ(open.bands.size(), 2U);  // the empty track is left out
  EXPECT_EQ(open.bands[0].track, phases);
  ASSERT_EQ(open.rows.size(), 4U);
  EXPECT_LT(open.rows[1].y + open.rows[1].height, open.rows[2].y + 0.01F);
  const TrackRows folded = lay_out_tracks(store, {thread}, Metrics{1});
  ASSERT_EQ(folded.rows.size(), 4U);
  EXPECT_EQ(folded.rows[1].y, folded.rows[3].y);
  EXPECT_LT(folded.height, open.height);
  EXPECT_EQ(open.band_at(open.height + 1), nullptr);
  EXPECT_EQ(open.band_at(1)->track, phases);
  EXPECT_EQ(open.row_of(thread, 2)->depth, 2);
  EXPECT_EQ(open.row_of(thread, 9), nullptr);
}

TEST(TrackRows, TheTracksOfAGpuStayTogetherAboveTheHost) {
  TraceStore store;
  std::vector<trace::TrackId> tracks;
  const auto add = [&](trace::TrackKind kind, std::int16_t device) {
    tracks.push_back(store.add_track({kind, "", device}));
    store.append(tracks.back(), 0, slice(0, 10, SliceClass::other));
  };
  add(trace::TrackKind::gpu_idle, 0);
  add(trace::TrackKind::gpu_stream, 1);
  add(trace::TrackKind::gpu_stream, 0);
  add(trace::TrackKind::cuda_api, -1);
  add(trace::TrackKind::gpu_idle, 1);
  add(trace::TrackKind::gpu_mark, 0);
  add(trace::TrackKind::phases, -1);
  const TrackRows rows = lay_out_tracks(store, {}, Metrics{1});
  std::vector<std::size_t> order;
  for (const TrackBand& band : rows.bands) order.push_back(band.track);
  EXPECT_EQ(order, (std::vector<std::size_t>{tracks[6], tracks[5], tracks[2], tracks[0], tracks[1],
                                             tracks[4], tracks[3]}));
}

TEST(SliceBoxes, AreOrderedInsideAndAtMostTwoAPixel) {
  base::StringTable strings;
  const auto run = testing::dense_run(strings, 40'000, 3);
  const base::TimeRange all = run->trace.range();
  std::mt19937_64 random(8);
  LaneCache lanes;
  std::vector<SliceBox> boxes;
  for (int i = 0; i < 300; ++i) {
    const auto offset =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all.length()));
    const auto length = 50 + static_cast<std::int64_t>(
                                 random() % static_cast<std::uint64_t>(all.length() - offset + 1));
    const Rect row{130, 40, 130 + 50 + static_cast<float>(random() % 2000), 60};
    const TimeAxis axis{{all.begin + offset, all.begin + offset + length}, row.x0, row.x1};
    lanes.new_frame();
    lanes.look_at(axis.range, axis.pixels());
    const auto slices = lanes.visible(run->trace, 0, 1);
    place_boxes(slices, axis, row, 1, boxes);
    EXPECT_LE(boxes.size(), 2 * static_cast<std::size_t>(axis.pixels()) + 2);
    EXPECT_EQ(boxes.empty(), slices.empty());
    float before = row.x0;
    for (const SliceBox& box : boxes) {
      EXPECT_GE(box.rect.x0, before);
      EXPECT_GE(box.rect.width(), 1);
      EXPECT_LE(box.rect.x1, row.x1);
      before = box.rect.x1;
    }
  }
}

TEST(SliceBoxes, ThinOnesCanBeHit) {
  std::vector<SliceBox> boxes(2);
  boxes[0].rect = {10, 0, 11, 20};
  boxes[1].rect = {40, 0, 80, 20};
  EXPECT_EQ(box_at(boxes, 12, 2), &boxes[0]);
  EXPECT_EQ(box_at(boxes, 14, 2), nullptr);
  EXPECT_EQ(box_at(boxes, 60, 2), &boxes[1]);
  EXPECT_EQ(box_at(boxes, 39, 2), &boxes[1]);
  EXPECT_EQ(box_at({}, 39, 2), nullptr);
}

TEST(LaneCache, AsksAgainOnlyWhenSomethingMoved) {
  TraceStore store;
  const auto track = store.add_track({trace::TrackKind::cpu_thread, "main"});
  store.append(track, 0, slice(0, 100, SliceClass::matmul));
  LaneCache lanes;
  lanes.new_frame();
  lanes.look_at({0, 1000}, 100);
  EXPECT_EQ(lanes.visible(store, track, 0).size(), 1U);
  store.append(track, 0, slice(200, 300, SliceClass::norm));
  lanes.new_frame();
  lanes.look_at({0, 1000}, 100);
  EXPECT_EQ(lanes.visible(store, track, 0).size(), 2U);
  lanes.new_frame();
  lanes.look_at({150, 1000}, 100);
  EXPECT_EQ(lanes.visible(store, track, 0).size(), 1U);
}

TEST(LaneCache, IsExactOnceTheViewRests) {
  base::StringTable strings;
  const auto run = testing::dense_run(strings, 2'000'000, 4);
  const base::TimeRange all = run->trace.range();
  LaneCache lanes;
  base::TimeRange view = all;
  const auto ask_all = [&] {
    lanes.new_frame();
    lanes.look_at(view, 1500);
    for (trace::TrackId track = 0; track < 3; ++track)
      for (std::uint16_t depth = 0; depth < 4; ++depth) lanes.visible(run->trace, track, depth);
  };
  for (int i = 0; i < 20; ++i) {
    view.end -= all.length() / 100;
    ask_all();
  }
  int frames = 0;
  do {
    ask_all();
    ++frames;
  } while (lanes.refining() && frames < 100);
  EXPECT_LT(frames, 60);
  std::vector<trace::VisibleSlice> exact;
  for (trace::TrackId track = 0; track < 3; ++track) {
    for (std::uint16_t depth = 0; depth < 4; ++depth) {
      run->trace.query(track, depth, view, 1500, exact);
      const auto kept = lanes.visible(run->trace, track, depth);
      ASSERT_EQ(kept.size(), exact.size());
      for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_EQ(kept[i].ref, exact[i].ref);
    }
  }
}

TEST(HitWalk, AgreesWithAScan) {
  std::mt19937 random(12);
  for (int round = 0; round < 300; ++round) {
    std::vector<base::TimeRange> hits;
    std::int64_t now = 0;
    for (int i = 0; i < 30; ++i) {
      now += 1 + static_cast<std::int64_t>(random() % 50);
      const auto length = static_cast<std::int64_t>(random() % 20);
      hits.push_back({now, now + length});
      now += length;
    }
    std::int64_t from = static_cast<std::int64_t>(random() % 300);
    HitWalk walk(hits, from);
    for (int i = 0; i < 40; ++i) {
      const base::TimeRange box{from, from + 1 + static_cast<std::int64_t>(random() % 30)};
      bool any = false;
      for (const base::TimeRange& hit : hits) {
        const bool point = hit.empty() && hit.begin >= box.begin && hit.begin < box.end;
        any = any || point || (hit.begin < box.end && hit.end > box.begin);
      }
      EXPECT_EQ(walk.touches(box), any) << box.begin << " " << box.end;
      from = box.end;
    }
  }
}

TEST(SearchHits, MarksBoxesAndStepsAround) {
  base::StringTable strings;
  TraceStore store;
  const auto track = store.add_track({trace::TrackKind::cpu_thread, "main"});
  const auto soft = strings.intern("aten::softmax");
  const auto other = strings.intern("aten::mm");
  for (int i = 0; i < 10; ++i)
    store.append(track, 0,
                 slice(i * 100, i * 100 + 50, SliceClass::softmax, i % 3 == 0 ? soft : other));
  SearchHits search;
  search.update(store, strings, "SOFT", 0);
  EXPECT_EQ(search.count(), 4U);
  EXPECT_EQ(search.in_lane(track, 0).size(), 4U);
  EXPECT_TRUE(search.in_lane(track, 1).empty());
  EXPECT_EQ(search.step(store, 1, 250)->index, 3U);
  EXPECT_EQ(search.place(), 2U);
  EXPECT_EQ(search.step(store, 1, 0)->index, 6U);
  EXPECT_EQ(search.step(store, 1, 0)->index, 9U);
  EXPECT_EQ(search.step(store, 1, 0)->index, 0U);
  EXPECT_EQ(search.step(store, -1, 0)->index, 9U);
  // New hits are found while a run grows, at most four times a second.
  store.append(track, 0, slice(2000, 2050, SliceClass::softmax, soft));
  search.update(store, strings, "SOFT", 1000);
  EXPECT_EQ(search.count(), 4U);
  search.update(store, strings, "SOFT", 300'000'000);
  EXPECT_EQ(search.count(), 5U);
  search.update(store, strings, "", 300'000'001);
  EXPECT_FALSE(search.active());
  EXPECT_FALSE(search.step(store, 1, 0));
}

TEST(MarkedRange, CountsAndAddsUpWithoutCountingTwice) {
  TraceStore store;
  const auto phases = store.add_track({trace::TrackKind::phases, ""});
  const auto thread = store.add_track({trace::TrackKind::cpu_thread, "main"});
  const auto second = store.add_track({trace::TrackKind::autograd_thread, "autograd"});
  store.append(phases, 0, slice(0, 1000, SliceClass::step));
  store.append(thread, 0, slice(0, 1000, SliceClass::module));
  store.append(thread, 1, slice(100, 300, SliceClass::matmul));
  store.append(thread, 2, slice(120, 200, SliceClass::matmul));  // nested: no more busy time
  store.append(thread, 1, slice(400, 500, SliceClass::copy));
  store.append(second, 0, slice(450, 600, SliceClass::norm));
  const MarkedFacts all = facts_of_range(store, {0, 1000});
  EXPECT_EQ(all.slices, 4U);
  EXPECT_TRUE(all.exact);
  EXPECT_DOUBLE_EQ(all.busy, 0.4);
  const MarkedFacts part = facts_of_range(store, {200, 450});
  EXPECT_EQ(part.slices, 2U);
  EXPECT_DOUBLE_EQ(part.busy, 0.6);
  EXPECT_EQ(facts_of_range(store, {5, 5}).slices, 0U);
}

TEST(MarkedRange, SaysWhenItIsAnEstimate) {
  base::StringTable strings;
  const auto run = testing::dense_run(strings, 600'000, 1);
  const MarkedFacts facts = facts_of_range(run->trace, run->trace.range());
  EXPECT_FALSE(facts.exact);
  EXPECT_EQ(facts.slices, run->trace.slice_count());
  EXPECT_GT(facts.busy, 0.7);
  EXPECT_LE(facts.busy, 1.0);
}

TEST(SelfTime, IsWhatChildrenLeave) {
  TraceStore store;
  const auto track = store.add_track({trace::TrackKind::cpu_thread, "main"});
  store.append(track, 0, slice(0, 1000, SliceClass::module));
  store.append(track, 0, slice(2000, 2100, SliceClass::module));
  store.append(track, 1, slice(100, 300, SliceClass::matmul));
  store.append(track, 1, slice(300, 350, SliceClass::matmul));
  store.append(track, 1, slice(2000, 2100, SliceClass::matmul));
  EXPECT_EQ(self_time(store, {track, 0, 0}), 750);
  EXPECT_EQ(self_time(store, {track, 0, 1}), 0);
  EXPECT_EQ(self_time(store, {track, 1, 0}), 200);
}

TEST(Minimap, ColoursByWhatTakesMostTime) {
  TraceStore store;
  const auto track = store.add_track({trace::TrackKind::cpu_thread, "main"});
  store.append(track, 0, slice(0, 500, SliceClass::matmul));
  store.append(track, 0, slice(500, 750, SliceClass::softmax));
  Minimap map;
  map.update(store, {0, 1000}, 100, 1);
  ASSERT_EQ(map.columns().size(), 100U);
  EXPECT_EQ(map.columns()[20].slice_class, SliceClass::matmul);
  EXPECT_EQ(map.columns()[60].slice_class, SliceClass::softmax);
  EXPECT_FLOAT_EQ(map.columns()[20].busy, 1);
  EXPECT_FLOAT_EQ(map.columns()[90].busy, 0);
  EXPECT_TRUE(map.occurs(SliceClass::matmul));
  EXPECT_FALSE(map.occurs(SliceClass::norm));
}

TEST(Brush, HasEdgesThatCanBeHeld) {
  EXPECT_EQ(brush_part_at(100, 100, 200, 5), BrushPart::begin);
  EXPECT_EQ(brush_part_at(196, 100, 200, 5), BrushPart::end);
  EXPECT_EQ(brush_part_at(150, 100, 200, 5), BrushPart::inside);
  EXPECT_EQ(brush_part_at(250, 100, 200, 5), BrushPart::outside);
  EXPECT_EQ(brush_part_at(101, 100, 102, 5), BrushPart::begin);
}

TEST(Brush, MovesWhatIsInViewWithinTheMap) {
  const TimeAxis map{{1000, 11'000}, 0, 100};  // 100 ns a pixel
  const auto moved = [&map](float x, float dx) {
    return brushed(brush_at(x, map, {3000, 5000}, 5), dx, map);
  };
  EXPECT_EQ(moved(30, 10), (base::TimeRange{4000, 6000}));
  EXPECT_EQ(moved(30, -90), (base::TimeRange{1000, 3000})) << "not beyond the map";
  EXPECT_EQ(moved(20, -10), (base::TimeRange{2000, 5000}));
  EXPECT_EQ(moved(40, 10), (base::TimeRange{3000, 6000}));
  EXPECT_EQ(moved(20, 90), (base::TimeRange{4950, 5000})) << "an end stops before the other";
  EXPECT_EQ(moved(80, 0), (base::TimeRange{8000, 10'000})) << "a press beside it jumps there";
}

TEST(CounterColumns, HoldTheExtremesOfEveryColumn) {
  base::StringTable strings;
  const auto run = testing::transformer_run(strings, {});
  const memory::AllocationLog& log = run->memory;
  TotalsIndex totals;
  totals.update(log.events());
  const base::TimeRange all = log.time_range();
  std::mt19937_64 random(6);
  std::vector<CounterColumn> columns;
  for (int i = 0; i < 30; ++i) {
    const auto begin =
        all.begin - 1000 +
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all.length()));
    const auto length =
        1000 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(all.length()));
    const TimeAxis axis{{begin, begin + length}, 0, 97};
    counter_columns(log, totals, axis, columns);
    ASSERT_EQ(columns.size(), 97U);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::int64_t from = axis.time_at(static_cast<float>(c));
      const std::int64_t to = axis.time_at(static_cast<float>(c + 1));
      CounterColumn scan;
      for (const memory::Event& event : log.events()) {
        if (event.time_ns >= to) break;
        // A state that holds when the column begins counts as part of it.
        const bool before = event.time_ns < from || !scan.known;
        scan.least = before ? event.total_after : std::min(scan.least, event.total_after);
        scan.most = before ? event.total_after : std::max(scan.most, event.total_after);
        scan.last = event.total_after;
        scan.known = true;
      }
      if (from > log.events().back().time_ns) scan.known = false;
      ASSERT_EQ(columns[c].known, scan.known);
      if (!scan.known) continue;
      EXPECT_EQ(columns[c].last, scan.last);
      EXPECT_EQ(columns[c].most, scan.most);
      EXPECT_EQ(columns[c].least, scan.least);
    }
  }
}

// Every code point is 1 wide.
TEST(RowNames, KeepTheNumberLongest) {
  const auto within = [](std::string_view name, float width) {
    return row_name_within(name, width, [](std::string_view words) {
      return static_cast<float>(
          std::ranges::count_if(words, [](char c) { return (c & 0xC0) != 0x80; }));
    });
  };
  const std::string name = "r0 thread 1234567 (python3.8)";
  const std::string cut = "\xe2\x80\xa6";
  EXPECT_EQ(within(name, 40), name);
  EXPECT_EQ(within(name, 22), "r0 thread 1234567 " + cut + ".8)");
  EXPECT_EQ(within(name, 18), "r0 thread 1234567" + cut);
  EXPECT_EQ(within(name, 17), "r0 thread 1234567");
  EXPECT_EQ(within(name, 11), "r0 t" + cut + "234567");
  EXPECT_EQ(within("GPU 0 stream 7", 9), "GPU" + cut + "eam 7");
  EXPECT_EQ(within("model.decoder", 5), "m" + cut + "der");
}

TEST(RunTime, FindsTheOperatorOfAnAllocation) {
  base::StringTable strings;
  const auto run = testing::transformer_run(strings, {});
  int named = 0;
  for (const memory::Block& block : run->memory.blocks()) {
    if (block.phase != base::Phase::forward) continue;
    const std::int64_t time = run->memory.events()[block.alloc_event].time_ns;
    const auto found = slice_of_allocation(*run, time, block.op);
    ASSERT_TRUE(found);
    const trace::Slice maker = run->trace.slice(*found);
    EXPECT_LE(maker.begin_ns, time);
    EXPECT_GT(maker.end_ns(), time);
    named += maker.name == block.op ? 1 : 0;
  }
  EXPECT_GT(named, 100);
  EXPECT_TRUE(holds(run->trace, {1, 0, 0}));
  EXPECT_FALSE(holds(run->trace, {1, 0, 1'000'000}));
  EXPECT_FALSE(holds(run->trace, {1, 60, 0}));
  EXPECT_FALSE(holds(run->trace, {77, 0, 0}));
}

}  // namespace
}  // namespace ts::views
