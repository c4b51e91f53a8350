#include "core/trace/trace_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ts::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr SliceRef at(TrackId track, std::uint16_t depth, std::uint32_t index) {
  return {.track = track, .depth = depth, .index = index};
}

TEST(TraceStore, StartsEmpty) {
  const TraceStore store;
  EXPECT_TRUE(store.range().empty());
  EXPECT_EQ(store.slice_count(), 0U);
  EXPECT_EQ(store.disordered(), 0U);
  EXPECT_TRUE(store.tracks().empty());
  EXPECT_EQ(store.depth_count(0), 0);
  EXPECT_EQ(store.lane_size(0, 0), 0U);
  EXPECT_EQ(store.slice_at(0, 0, 5), std::nullopt);
}

TEST(TraceStore, GivesBackEveryFieldAcrossChunks) {
  TraceStore store;
  const TrackId track = store.add_track({.kind = TrackKind::autograd_thread, .name = "autograd"});
  constexpr std::uint32_t kCount = 10'000;
  const auto make = [](std::uint32_t i) {
    return Slice{.begin_ns = std::int64_t{i} * 100 - 300'000,
                 .duration_ns = i % 90,
                 .name = i + 1,
                 .module = i * 3,
                 .detail = i * 5,
                 .flow = i % 4 == 0 ? i / 4 + 1 : 0,
                 .slice_class = static_cast<SliceClass>(i % kSliceClassCount)};
  };
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_TRUE(store.append(track, 2, make(i)));
  EXPECT_EQ(store.depth_count(track), 3);
  EXPECT_EQ(store.lane_size(track, 0), 0U);
  EXPECT_EQ(store.lane_size(track, 2), kCount);
  EXPECT_EQ(store.slice_count(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const Slice slice = store.slice(at(track, 2, i));
    const Slice expected = make(i);
    ASSERT_EQ(slice.begin_ns, expected.begin_ns);
    ASSERT_EQ(slice.duration_ns, expected.duration_ns);
    ASSERT_EQ(slice.name, expected.name);
    ASSERT_EQ(slice.module, expected.module);
    ASSERT_EQ(slice.detail, expected.detail);
    ASSERT_EQ(slice.flow, expected.flow);
    ASSERT_EQ(slice.slice_class, expected.slice_class);
  }
  EXPECT_EQ(store.range().begin, make(0).begin_ns);
  EXPECT_EQ(store.range().end, make(kCount - 1).end_ns());
  EXPECT_EQ(store.tracks()[track].name, "autograd");
  EXPECT_EQ(store.tracks()[track].kind, TrackKind::autograd_thread);
}

TEST(TraceStore, RefusesWhatIsOutOfOrderAndCountsIt) {
  TraceStore store;
  store.add_track({});
  EXPECT_TRUE(store.append(0, 0, {.begin_ns = 100, .duration_ns = 10}));
  EXPECT_FALSE(store.append(0, 0, {.begin_ns = 99, .duration_ns = 1}));
  EXPECT_TRUE(store.append(0, 1, {.begin_ns = 99, .duration_ns = 1}));  // another lane
  EXPECT_TRUE(store.append(0, 0, {.begin_ns = 100, .duration_ns = 0}));
  EXPECT_TRUE(store.append(0, 0, {.begin_ns = 105, .duration_ns = 2}));  // overlaps: kept
  EXPECT_FALSE(store.append(0, 0, {.begin_ns = 200, .duration_ns = -1}));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(store.append(0, 0, {.begin_ns = 200, .duration_ns = kMost}));
  EXPECT_EQ(store.disordered(), 3U);
  EXPECT_EQ(store.slice_count(), 4U);
  EXPECT_EQ(store.range(), (base::TimeRange{99, 110}));
}

TEST(TraceStore, KeepsTheRecordedDurationOfAnOverlappedSlice) {
  TraceStore store;
  store.add_track({});
  store.append(0, 0, {.begin_ns = 0, .duration_ns = 100});
  store.append(0, 0, {.begin_ns = 60, .duration_ns = 100});
  EXPECT_EQ(store.slice(at(0, 0, 0)).duration_ns, 100);
  std::vector<VisibleSlice> boxes;
  store.query(0, 0, {0, 200}, 100, boxes);
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].end_ns, 60);
  EXPECT_EQ(boxes[1].begin_ns, 60);
  EXPECT_EQ(store.slice_at(0, 0, 80), at(0, 0, 1));
}

TEST(TraceStore, FindsTheSliceAtATime) {
  TraceStore store;
  store.add_track({});
  store.append(0, 0, {.begin_ns = 10, .duration_ns = 10});
  store.append(0, 0, {.begin_ns = 20, .duration_ns = 0});
  store.append(0, 0, {.begin_ns = 30, .duration_ns = 5});
  EXPECT_EQ(store.slice_at(0, 0, 9), std::nullopt);
  EXPECT_EQ(store.slice_at(0, 0, 10), at(0, 0, 0));
  EXPECT_EQ(store.slice_at(0, 0, 19), at(0, 0, 0));
  EXPECT_EQ(store.slice_at(0, 0, 20), at(0, 0, 1));  // has no duration, begins here
  EXPECT_EQ(store.slice_at(0, 0, 21), std::nullopt);
  EXPECT_EQ(store.slice_at(0, 0, 34), at(0, 0, 2));
  EXPECT_EQ(store.slice_at(0, 0, 35), std::nullopt);
  EXPECT_EQ(store.slice_at(0, 0, std::numeric_limits<std::int64_t>::max()), std::nullopt);
  EXPECT_EQ(store.slice_at(0, 0, std::numeric_limits<std::int64_t>::min()), std::nullopt);
}

TEST(TraceStore, ParentEnclosesAndMayBeSeveralDepthsUp) {
  TraceStore store;
  store.add_track({});
  store.append(0, 0, {.begin_ns = 0, .duration_ns = 100});
  store.append(0, 1, {.begin_ns = 10, .duration_ns = 20});
  store.append(0, 2, {.begin_ns = 10, .duration_ns = 5});
  store.append(0, 2, {.begin_ns = 50, .duration_ns = 5});   // nothing at depth 1 there
  store.append(0, 2, {.begin_ns = 95, .duration_ns = 50});  // sticks out of everything
  EXPECT_EQ(store.parent(at(0, 0, 0)), std::nullopt);
  EXPECT_EQ(store.parent(at(0, 1, 0)), at(0, 0, 0));
  EXPECT_EQ(store.parent(at(0, 2, 0)), at(0, 1, 0));
  EXPECT_EQ(store.parent(at(0, 2, 1)), at(0, 0, 0));
  EXPECT_EQ(store.parent(at(0, 2, 2)), std::nullopt);
}

TEST(TraceStore, FlowLinksForwardAndBackward) {
  TraceStore store;
  store.add_track({});
  store.add_track({.kind = TrackKind::autograd_thread, .name = "autograd"});
  store.append(0, 0, {.begin_ns = 0, .duration_ns = 10, .flow = 7});
  store.append(0, 0, {.begin_ns = 20, .duration_ns = 10, .flow = 8});
  store.append(0, 0, {.begin_ns = 40, .duration_ns = 10});
  EXPECT_EQ(store.flow_partner(at(0, 0, 0)), std::nullopt);  // no backward yet
  store.append(1, 0, {.begin_ns = 100, .duration_ns = 10, .flow = 8});
  store.append(1, 0, {.begin_ns = 120, .duration_ns = 10, .flow = 7});
  EXPECT_EQ(store.flow_partner(at(0, 0, 0)), at(1, 0, 1));
  EXPECT_EQ(store.flow_partner(at(1, 0, 1)), at(0, 0, 0));
  EXPECT_EQ(store.flow_partner(at(0, 0, 1)), at(1, 0, 0));
  EXPECT_EQ(store.flow_partner(at(1, 0, 0)), at(0, 0, 1));
  EXPECT_EQ(store.flow_partner(at(0, 0, 2)), std::nullopt);
}

TEST(TraceStore, NestedSlicesOfOneFlowAreOneEnd) {
  // linear > matmul > mm carry one number, and so do the node and what it calls; on the CPU both
  // run on the same thread. Inner slices end first and so are appended first, except here and
  // there.
  for (const bool inner_first : {true, false}) {
    TraceStore store;
    store.add_track({});
    for (const std::uint16_t depth :
         inner_first ? std::vector<std::uint16_t>{2, 1, 0} : std::vector<std::uint16_t>{0, 1, 2}) {
      store.append(0, depth, {.begin_ns = depth, .duration_ns = 50 - 2 * depth, .flow = 5});
    }
    for (const std::uint16_t depth :
         inner_first ? std::vector<std::uint16_t>{1, 0} : std::vector<std::uint16_t>{0, 1}) {
      store.append(0, depth, {.begin_ns = 50 + depth, .duration_ns = 10 - 2 * depth, .flow = 5});
    }
    for (const std::uint16_t depth : std::vector<std::uint16_t>{0, 1, 2}) {
      EXPECT_EQ(store.flow_partner(at(0, depth, 0)), at(0, 1, 1)) << depth;
    }
    EXPECT_EQ(store.flow_partner(at(0, 0, 1)), at(0, 2, 0));
    EXPECT_EQ(store.flow_partner(at(0, 1, 1)), at(0, 2, 0));
  }
}

TEST(TraceStore, AThirdEndOfAFlowIsNoEnd) {
  TraceStore store;
  store.add_track({});
  for (const std::int64_t begin : {0, 20, 40}) {
    store.append(0, 0, {.begin_ns = begin, .duration_ns = 10, .flow = 4'000'000'000});
  }
  EXPECT_EQ(store.flow_partner(at(0, 0, 0)), at(0, 0, 1));
  EXPECT_EQ(store.flow_partner(at(0, 0, 2)), std::nullopt);
}

class TraceSearch : public testing::Test {
 protected:
  TraceSearch() {
    store_.add_track({});
    store_.add_track({});
    const base::StringId mm = strings_.intern("aten::mm");
    const base::StringId softmax = strings_.intern("aten::_softmax");
    const base::StringId attention = strings_.intern("blocks.0.Attn");
    store_.append(0, 0, {.begin_ns = 0, .duration_ns = 90, .name = softmax});
    store_.append(0, 1, {.begin_ns = 0, .duration_ns = 5, .name = mm, .module = attention});
    store_.append(0, 1, {.begin_ns = 30, .duration_ns = 5, .name = softmax, .module = attention});
    store_.append(1, 0, {.begin_ns = 10, .duration_ns = 5, .name = mm});
    store_.append(1, 0, {.begin_ns = 40, .duration_ns = 5, .name = mm});
  }
  base::StringTable strings_;
  TraceStore store_;
};

TEST_F(TraceSearch, FindsNamesInTimeOrderAcrossLanes) {
  EXPECT_THAT(store_.search(strings_, "mm", 10),
              ElementsAre(at(0, 1, 0), at(1, 0, 0), at(1, 0, 1)));
  EXPECT_THAT(store_.search(strings_, "SoftMax", 10), ElementsAre(at(0, 0, 0), at(0, 1, 1)));
}

TEST_F(TraceSearch, FindsModulesToo) {
  EXPECT_THAT(store_.search(strings_, "blocks.0.attn", 10), ElementsAre(at(0, 1, 0), at(0, 1, 1)));
}

TEST_F(TraceSearch, OuterComesBeforeInner) {
  EXPECT_THAT(store_.search(strings_, "a", 2), ElementsAre(at(0, 0, 0), at(0, 1, 0)));
}

TEST_F(TraceSearch, StopsAtTheMost) {
  EXPECT_THAT(store_.search(strings_, "mm", 2), ElementsAre(at(0, 1, 0), at(1, 0, 0)));
  EXPECT_THAT(store_.search(strings_, "mm", 0), IsEmpty());
}

TEST_F(TraceSearch, FindsNothing) {
  EXPECT_THAT(store_.search(strings_, "conv", 10), IsEmpty());
  EXPECT_THAT(store_.search(strings_, "", 10), IsEmpty());
  EXPECT_THAT(store_.search(strings_, "aten::mm and more", 10), IsEmpty());
}

TEST_F(TraceSearch, SurvivesMoving) {
  TraceStore moved = std::move(store_);
  EXPECT_EQ(moved.search(strings_, "mm", 10).size(), 3U);
}

}  // namespace
}  // namespace ts::trace
