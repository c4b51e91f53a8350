// The answer of a range query against what a linear scan over all slices says it must be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/trace/trace_store.h"

namespace ts::trace {
namespace {

struct Recorded {
  std::vector<Slice> slices;
  TraceStore store;
};

// End of a slice for queries: where the next one begins, if that is earlier.
std::int64_t clear_end(const std::vector<Slice>& slices, std::size_t index) {
  const std::int64_t end = slices[index].end_ns();
  return index + 1 < slices.size() ? std::min(end, slices[index + 1].begin_ns) : end;
}

bool in_range(const std::vector<Slice>& slices, std::size_t index, base::TimeRange range) {
  const std::int64_t begin = slices[index].begin_ns;
  return begin < range.end && (begin >= range.begin || clear_end(slices, index) > range.begin);
}

// Slice number `index` is at least one of `pixels` pixels long.
bool long_enough(const std::vector<Slice>& slices, std::size_t index, base::TimeRange range,
                 std::int32_t pixels) {
  const auto duration = static_cast<long double>(clear_end(slices, index) - slices[index].begin_ns);
  return duration * pixels >= static_cast<long double>(range.end) - range.begin;
}

// Everything a query promises, checked slice by slice.
void expect_true_answer(const Recorded& lane, base::TimeRange range, std::int32_t pixels) {
  SCOPED_TRACE(testing::Message() << "range " << range.begin << " .. " << range.end << " on "
                                  << pixels << " pixels");
  const std::vector<Slice>& slices = lane.slices;
  std::vector<VisibleSlice> boxes;
  lane.store.query(0, 0, range, pixels, boxes);
  ASSERT_LE(boxes.size(), 2U * static_cast<std::size_t>(pixels) + 2U);

  std::size_t next = 0;
  while (next < slices.size() && !in_range(slices, next, range)) ++next;
  for (std::size_t number = 0; number < boxes.size(); ++number) {
    const VisibleSlice& box = boxes[number];
    SCOPED_TRACE(testing::Message() << "box " << number << " of " << boxes.size());
    ASSERT_GE(box.count, 1U);
    ASSERT_LE(next + box.count, slices.size());
    const std::size_t end = next + box.count;
    if (number > 0) {
      ASSERT_GE(box.begin_ns, boxes[number - 1].end_ns);
    }

    std::int64_t busy = 0;
    std::size_t longest = next;
    const auto duration = [&](std::size_t i) { return clear_end(slices, i) - slices[i].begin_ns; };
    for (std::size_t i = next; i < end; ++i) {
      ASSERT_TRUE(in_range(slices, i, range));
      if (box.count > 1) {
        ASSERT_FALSE(long_enough(slices, i, range, pixels));
      }
      busy += duration(i);
      if (duration(i) > duration(longest)) longest = i;
    }
    ASSERT_EQ(box.ref.index, longest);
    ASSERT_EQ(box.name, slices[longest].name);
    ASSERT_EQ(box.slice_class, slices[longest].slice_class);
    ASSERT_EQ(box.begin_ns, slices[next].begin_ns);
    ASSERT_EQ(box.end_ns, clear_end(slices, end - 1));
    const std::int64_t length = box.end_ns - box.begin_ns;
    const double share =
        length == 0 ? 1.0 : static_cast<double>(busy) / static_cast<double>(length);
    ASSERT_FLOAT_EQ(box.busy, static_cast<float>(share));
    // A merged box begins in one column, but for a slice that began just before the range.
    if (box.count > 1) {
      ASSERT_LE(static_cast<long double>(length) * pixels,
                3 * (static_cast<long double>(range.end) - range.begin));
    }
    next = end;
  }
  const bool done = next == slices.size() || !in_range(slices, next, range);
  ASSERT_TRUE(done) << "slice " << next << " is in range and in no box";
}

// Durations and gaps over many orders of magnitude, a few of them zero; a few slices overlap.
Recorded random_lane(std::mt19937_64& random, std::size_t count, bool overlapping) {
  Recorded lane;
  lane.store.add_track({});
  std::uniform_int_distribution<int> magnitude(0, 18);
  const auto length = [&](int cap) {
    const int bits = std::min(magnitude(random), cap);
    return std::uniform_int_distribution<std::int64_t>(0, std::int64_t{1} << bits)(random);
  };
  std::int64_t time = std::uniform_int_distribution<std::int64_t>(-1'000'000, 1'000'000)(random);
  const int duration_cap = magnitude(random);
  const int gap_cap = magnitude(random);
  for (std::size_t i = 0; i < count; ++i) {
    Slice slice;
    slice.begin_ns = time;
    slice.duration_ns = length(duration_cap);
    slice.name = static_cast<base::StringId>(random() % 50 + 1);
    slice.slice_class = static_cast<SliceClass>(random() % kSliceClassCount);
    EXPECT_TRUE(lane.store.append(0, 0, slice));
    lane.slices.push_back(slice);
    const bool overlap = overlapping && random() % 8 == 0;
    time += overlap ? slice.duration_ns / 2 : slice.duration_ns;
    if (random() % 3 != 0) time += length(gap_cap);
  }
  return lane;
}

void check_random_ranges(std::mt19937_64& random, const Recorded& lane, int ranges) {
  const std::int64_t begin = lane.slices.front().begin_ns;
  const std::int64_t span = lane.slices.back().end_ns() - begin + 2;
  std::uniform_int_distribution<std::int64_t> place(begin - span / 4, begin + span + span / 4);
  for (int i = 0; i < ranges; ++i) {
    std::int64_t a = place(random);
    std::int64_t b = place(random);
    // Half of the views are zoomed in, to the nanosecond at most.
    if (random() % 2 == 0) b = a + 1 + (b - a) / (std::int64_t{1} << (random() % 40));
    if (b < a) std::swap(a, b);
    if (a == b) ++b;
    const auto pixels = static_cast<std::int32_t>(1 + random() % (random() % 2 == 0 ? 8 : 2000));
    expect_true_answer(lane, {a, b}, pixels);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(TraceQuery, AgreesWithALinearScanOnRandomData) {
  std::mt19937_64 random(20240607);
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 1000U, 5000U}) {
    for (int repetition = 0; repetition < 12; ++repetition) {
      const Recorded lane = random_lane(random, count, repetition % 3 == 2);
      check_random_ranges(random, lane, 40);
      if (HasFatalFailure()) FAIL() << count << " slices, repetition " << repetition;
    }
  }
}

TEST(TraceQuery, AgreesAfterEveryAppend) {
  std::mt19937_64 random(7);
  const Recorded whole = random_lane(random, 600, false);
  Recorded growing;
  growing.store.add_track({});
  for (const Slice& slice : whole.slices) {
    growing.store.append(0, 0, slice);
    growing.slices.push_back(slice);
    check_random_ranges(random, growing, 2);
    if (HasFatalFailure()) FAIL() << "after " << growing.slices.size() << " slices";
  }
}

TEST(TraceQuery, AgreesFarFromTimeZero) {
  // A steady clock of a machine that is up for years, and the ends of what 64 bits can say.
  for (const std::int64_t origin : {std::int64_t{1} << 58, -(std::int64_t{1} << 62)}) {
    Recorded lane;
    lane.store.add_track({});
    for (std::int64_t i = 0; i < 3000; ++i) {
      Slice slice;
      slice.begin_ns = origin + i * 1000;
      slice.duration_ns = i % 7 == 0 ? 900 : 30;
      lane.store.append(0, 0, slice);
      lane.slices.push_back(slice);
    }
    for (const std::int32_t pixels : {1, 3, 100, 1799, 100'000}) {
      expect_true_answer(lane, {origin - 5, origin + 3'000'000}, pixels);
      expect_true_answer(lane, {origin + 950, origin + 7123}, pixels);
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    expect_true_answer(lane, {-kMost, kMost}, 1000);
  }
}

TEST(TraceQuery, ReachesTheBoundButNotBeyond) {
  // Long and short slices in turn, each long one a pixel: two boxes for each pixel.
  Recorded lane;
  lane.store.add_track({});
  for (std::int64_t i = 0; i < 2000; ++i) {
    for (const std::int64_t duration : {100, 1}) {
      const std::int64_t begin = i * 101 + (duration == 1 ? 100 : 0);
      const Slice slice{.begin_ns = begin, .duration_ns = duration};
      lane.store.append(0, 0, slice);
      lane.slices.push_back(slice);
    }
  }
  expect_true_answer(lane, {50, 50 + 100 * 1000}, 1000);
  std::vector<VisibleSlice> boxes;
  lane.store.query(0, 0, {50, 50 + 100 * 1000}, 1000, boxes);
  EXPECT_GT(boxes.size(), 1950U);
}

TEST(TraceQuery, BackToBackKernelsStayOneBoxAColumn) {
  Recorded lane;
  lane.store.add_track({});
  for (std::int64_t i = 0; i < 100'000; ++i) {
    const Slice slice{.begin_ns = i * 10, .duration_ns = 5};
    lane.store.append(0, 0, slice);
    lane.slices.push_back(slice);
  }
  std::vector<VisibleSlice> boxes;
  lane.store.query(0, 0, {0, 1'000'000}, 500, boxes);
  ASSERT_EQ(boxes.size(), 500U);
  for (const VisibleSlice& box : boxes) {
    EXPECT_EQ(box.count, 200U);
    EXPECT_NEAR(box.busy, 0.5F, 0.01F);
  }
}

TEST(TraceQuery, PanningDoesNotRegroupWhatStaysInView) {
  std::mt19937_64 random(3);
  const Recorded lane = random_lane(random, 4000, false);
  const std::int64_t begin = lane.slices.front().begin_ns;
  const std::int64_t span = lane.slices.back().end_ns() - begin;
  const std::int64_t view = span / 4 + 1;
  std::vector<VisibleSlice> before;
  std::vector<VisibleSlice> after;
  lane.store.query(0, 0, {begin, begin + view}, 300, before);
  lane.store.query(0, 0, {begin + view / 10, begin + view / 10 + view}, 300, after);
  // All but what the edges cut.
  std::size_t same = 0;
  for (const VisibleSlice& box : before) {
    const auto twin = std::find_if(after.begin(), after.end(), [&](const VisibleSlice& other) {
      return other.begin_ns == box.begin_ns && other.end_ns == box.end_ns;
    });
    if (twin == after.end()) continue;
    ++same;
    EXPECT_EQ(twin->count, box.count);
  }
  const auto inside = std::count_if(before.begin(), before.end(), [&](const VisibleSlice& box) {
    return box.begin_ns >= begin + view / 10 && box.end_ns <= begin + view;
  });
  EXPECT_GE(same + 2, static_cast<std::size_t>(inside));
  EXPECT_GT(inside, 20);
}

TEST(TraceQuery, NothingToShow) {
  Recorded lane;
  lane.store.add_track({});
  std::vector<VisibleSlice> boxes(3);
  lane.store.query(0, 0, {0, 10}, 100, boxes);
  EXPECT_TRUE(boxes.empty());
  lane.store.append(0, 0, {.begin_ns = 5, .duration_ns = 2});
  boxes.resize(3);
  lane.store.query(0, 0, {7, 100}, 100, boxes);
  EXPECT_TRUE(boxes.empty());
  boxes.resize(3);
  lane.store.query(0, 0, {0, 5}, 100, boxes);
  EXPECT_TRUE(boxes.empty());
  boxes.resize(3);
  lane.store.query(0, 0, {6, 6}, 100, boxes);
  EXPECT_TRUE(boxes.empty());
  boxes.resize(3);
  lane.store.query(0, 0, {0, 100}, 0, boxes);
  EXPECT_TRUE(boxes.empty());
  boxes.resize(3);
  lane.store.query(0, 4, {0, 100}, 10, boxes);
  EXPECT_TRUE(boxes.empty());
  boxes.resize(3);
  lane.store.query(9, 0, {0, 100}, 10, boxes);
  EXPECT_TRUE(boxes.empty());
}

}  // namespace
}  // namespace ts::trace
