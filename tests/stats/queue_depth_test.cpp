#include "core/stats/queue_depth.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/string_table.h"

namespace ts::stats {
namespace {

TEST(QueueDepth, launches_wait_from_their_call_to_their_begin) {
  const std::vector<Waited> all = {{10, 40}, {20, 50}, {45, 60}};
  const std::vector<QueuePoint> expected = {{10, 1}, {20, 2}, {40, 1}, {45, 2}, {50, 1}, {60, 0}};
  EXPECT_EQ(queue_depth(all), expected);
  EXPECT_TRUE(queue_depth(std::span<const Waited>{}).empty());
}

// One leaves as another comes: nothing has changed.
TEST(QueueDepth, only_changes_are_points) {
  const std::vector<Waited> all = {{10, 20}, {20, 30}};
  const std::vector<QueuePoint> expected = {{10, 1}, {30, 0}};
  EXPECT_EQ(queue_depth(all), expected);
}

TEST(QueueDepth, is_what_counting_at_every_time_gives) {
  std::mt19937 random(7);
  std::vector<Waited> all;
  for (int i = 0; i < 300; ++i) {
    const std::int64_t made = static_cast<std::int64_t>(random() % 1000);
    all.push_back({made, made + 1 + static_cast<std::int64_t>(random() % 50)});
  }
  const std::vector<QueuePoint> points = queue_depth(all);
  std::size_t next = 0;
  std::int64_t depth = 0;
  for (std::int64_t time = 0; time < 1100; ++time) {
    if (next < points.size() && points[next].time_ns == time) depth = points[next++].depth;
    std::int64_t counted = 0;
    for (const Waited& one : all) counted += one.made_ns <= time && time < one.begin_ns ? 1 : 0;
    ASSERT_EQ(depth, counted) << time;
  }
  EXPECT_EQ(next, points.size());
}

TEST(QueueDepth, of_a_trace_is_that_of_one_device_by_its_flows) {
  trace::TraceStore trace;
  const auto calls = trace.add_track({trace::TrackKind::cuda_api, "thread 1"});
  const auto first = trace.add_track({trace::TrackKind::gpu_stream, "GPU 0 stream 7", 0});
  const auto other = trace.add_track({trace::TrackKind::gpu_stream, "GPU 1 stream 7", 1});
  const auto add = [&](trace::TrackId track, std::int64_t begin, std::int64_t end,
                       std::uint32_t flow) {
    trace::Slice slice;
    slice.begin_ns = begin;
    slice.duration_ns = end - begin;
    slice.flow = flow;
    ASSERT_TRUE(trace.append(track, 0, slice));
  };
  add(calls, 0, 10, 1);
  add(calls, 20, 30, 2);
  add(calls, 40, 50, 3);
  add(first, 5, 15, 1);    // began while its call went on
  add(first, 70, 80, 2);   // waited
  add(first, 90, 100, 0);  // of an unknown launch
  add(other, 60, 70, 3);   // waited on the other device
  EXPECT_EQ(queue_depth(trace, 0), (std::vector<QueuePoint>{{30, 1}, {70, 0}}));
  EXPECT_EQ(queue_depth(trace, 1), (std::vector<QueuePoint>{{50, 1}, {60, 0}}));
}

}  // namespace
}  // namespace ts::stats
