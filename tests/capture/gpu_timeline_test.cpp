#include "core/capture/gpu_timeline.h"

#include <gtest/gtest.h>

#include <random>

#include "core/capture/collector.h"

namespace ts::capture {
namespace {

class GpuTimelineTest : public ::testing::Test {
 protected:
  GpuRecord kernel(std::uint32_t correlation, std::int64_t begin, std::int64_t end,
                   std::uint32_t stream = 7) {
    GpuRecord record;
    record.kind = GpuKind::kernel;
    record.correlation = correlation;
    record.begin_ns = begin;
    record.end_ns = end;
    record.stream = stream;
    record.name = strings.intern("ampere_sgemm_128x64_tn");
    record.grid = {12, 1, 1};
    record.block = {256, 1, 1};
    record.registers = 96;
    return record;
  }
  GpuRecord call(std::uint32_t correlation, std::int64_t begin, std::int64_t end,
                 const char* name = "cudaLaunchKernel") {
    GpuRecord record;
    record.kind = GpuKind::call;
    record.correlation = correlation;
    record.begin_ns = begin;
    record.end_ns = end;
    record.thread = 11;
    record.name = strings.intern(name);
    return record;
  }
  GpuRecord correlation(std::uint32_t number, const char* op, const char* module) {
    GpuRecord record;
    record.kind = GpuKind::correlation;
    record.correlation = number;
    const std::uint64_t id = correlation_id(strings.intern(op), strings.intern(module));
    record.op = op_of(id);
    record.module = module_of(id);
    return record;
  }
  std::vector<Batch::Row> rows_of(trace::TrackKind kind, const Batch& batch) const {
    std::vector<Batch::Row> rows;
    for (const Batch::Row& row : batch.slices) {
      if (tracks[row.track].kind == kind) rows.push_back(row);
    }
    return rows;
  }
  Batch hand_over(bool all = true) {
    Batch batch;
    timeline.hand_over(all, batch);
    return batch;
  }

  base::StringTable strings;
  std::vector<trace::Track> tracks;
  GpuTimeline timeline{strings, [this](trace::Track track) {
                         tracks.push_back(std::move(track));
                         return static_cast<trace::TrackId>(tracks.size() - 1);
                       }};
};

TEST_F(GpuTimelineTest, a_kernel_bears_its_operator_its_module_and_the_flow_of_its_launch) {
  timeline.take(correlation(5, "aten::bmm", "blocks.1.attn"));
  timeline.take(call(5, 100, 110));
  timeline.take(kernel(5, 150, 250));
  const Batch batch = hand_over();
  const auto kernels = rows_of(trace::TrackKind::gpu_stream, batch);
  const auto calls = rows_of(trace::TrackKind::cuda_api, batch);
  ASSERT_EQ(kernels.size(), 1U);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(tracks[kernels[0].track].name, "GPU 0 stream 7");
  EXPECT_EQ(strings.view(kernels[0].slice.module), "blocks.1.attn");
  EXPECT_EQ(strings.view(kernels[0].slice.detail),
            "aten::bmm, grid 12x1x1, block 256x1x1, 96 registers");
  EXPECT_EQ(kernels[0].slice.slice_class, trace::SliceClass::matmul);
  EXPECT_EQ(kernels[0].slice.duration_ns, 100);
  EXPECT_EQ(kernels[0].slice.flow, flow_of_launch(5));
  EXPECT_EQ(calls[0].slice.flow, flow_of_launch(5));
}

TEST_F(GpuTimelineTest, the_operator_may_come_after_the_kernel) {
  timeline.take(kernel(5, 150, 250));
  EXPECT_TRUE(hand_over(false).empty()) << "it waits for its launch";
  timeline.take(call(5, 100, 110));
  timeline.take(correlation(5, "aten::bmm", "ffn"));
  const auto kernels = rows_of(trace::TrackKind::gpu_stream, hand_over());
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(strings.view(kernels[0].slice.module), "ffn");
}

TEST_F(GpuTimelineTest, a_row_waits_no_longer_than_it_says) {
  timeline.take(kernel(5, 150, 250));
  timeline.take(kernel(6, 260 + GpuTimeline::kWaitNs, 300 + GpuTimeline::kWaitNs));
  EXPECT_EQ(hand_over(false).slices.size(), 1U);
  EXPECT_EQ(rows_of(trace::TrackKind::gpu_stream, hand_over()).size(), 1U);
}

TEST_F(GpuTimelineTest, records_without_times_are_counted_not_drawn) {
  timeline.take(kernel(5, 0, 0));
  timeline.take(kernel(6, 100, 0));
  timeline.take(call(6, 90, 0));
  EXPECT_TRUE(hand_over().empty());
  EXPECT_EQ(timeline.without_time(), 3U) << "those that had not ended as well";
}

TEST_F(GpuTimelineTest, a_launch_is_told_once_under_the_detail_of_its_kernels) {
  timeline.take(correlation(5, "aten::bmm", "ffn"));
  timeline.take(correlation(6, "aten::bmm", "ffn"));
  timeline.take(kernel(5, 150, 250));
  timeline.take(kernel(6, 260, 300));
  const Batch batch = hand_over();
  ASSERT_EQ(batch.launches.size(), 1U);
  const auto& [detail, launch] = batch.launches.front();
  for (const Batch::Row& row : rows_of(trace::TrackKind::gpu_stream, batch))
    EXPECT_EQ(row.slice.detail, detail);
  EXPECT_EQ(strings.view(launch.op), "aten::bmm");
  EXPECT_EQ(launch.grid, (std::array<std::int32_t, 3>{12, 1, 1}));
  EXPECT_EQ(launch.registers, 96);
}

TEST_F(GpuTimelineTest, the_end_brings_the_times_in_which_no_kernel_ran) {
  timeline.take(call(5, 100, 110));
  timeline.take(kernel(5, 150, 250));
  timeline.take(call(7, 120, 260, "cudaDeviceSynchronize"));
  timeline.take(call(6, 290, 300));
  timeline.take(kernel(6, 310, 400));
  const Batch batch = hand_over();
  const auto idle = rows_of(trace::TrackKind::gpu_idle, batch);
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(tracks[idle[0].track].name, "GPU 0 idle");
  EXPECT_EQ(tracks[idle[0].track].device, 0);
  EXPECT_EQ(strings.view(idle[0].slice.name), "idle: synchronisation");
  EXPECT_EQ(idle[0].slice.begin_ns, 250);
  EXPECT_EQ(idle[0].slice.duration_ns, 60);
  EXPECT_TRUE(hand_over().empty()) << "once";
}

TEST_F(GpuTimelineTest, waiting_has_a_track_of_its_own) {
  GpuRecord wait;
  wait.kind = GpuKind::wait;
  wait.correlation = 5;
  wait.begin_ns = 100;
  wait.end_ns = 200;
  wait.name = strings.intern("waiting for the device");
  timeline.take(wait);
  timeline.take(correlation(5, "aten::item", "loss"));
  const Batch batch = hand_over();
  ASSERT_EQ(batch.slices.size(), 1U);
  EXPECT_EQ(tracks[batch.slices[0].track].name, "synchronisation");
  EXPECT_EQ(strings.view(batch.slices[0].slice.module), "loss");
  EXPECT_EQ(batch.slices[0].slice.flow, 0U) << "the call has it";
}

TEST_F(GpuTimelineTest, the_ends_of_a_marked_range_meet_in_either_order) {
  const auto mark = [&](GpuKind kind, std::uint32_t range, std::int64_t time, const char* name) {
    GpuRecord record;
    record.kind = kind;
    record.correlation = range;
    record.begin_ns = record.end_ns = time;
    record.thread = 3;
    record.name = strings.intern(name);
    timeline.take(record);
  };
  mark(GpuKind::mark_begin, 1, 100, "first");
  mark(GpuKind::mark_end, 2, 400, "");
  mark(GpuKind::mark_end, 1, 200, "");
  mark(GpuKind::mark_begin, 2, 300, "second");
  mark(GpuKind::mark, 3, 350, "instant");
  mark(GpuKind::mark_begin, 4, 500, "never ends");
  const Batch batch = hand_over();
  ASSERT_EQ(batch.slices.size(), 3U);
  EXPECT_EQ(tracks[batch.slices[0].track].name, "NVTX thread 3");
  EXPECT_EQ(strings.view(batch.slices[0].slice.name), "first");
  EXPECT_EQ(batch.slices[0].slice.duration_ns, 100);
  EXPECT_EQ(strings.view(batch.slices[1].slice.name), "second");
  EXPECT_EQ(batch.slices[1].slice.duration_ns, 100);
  EXPECT_EQ(batch.slices[2].slice.duration_ns, 0);
}

TEST_F(GpuTimelineTest, the_first_kernel_of_a_graph_has_the_flow_and_its_branches_lie_apart) {
  timeline.take(call(9, 10, 20, "cudaGraphLaunch"));
  for (int node = 0; node < 4; ++node) {
    GpuRecord record = kernel(9, 100 + 10 * node, 125 + 10 * node);
    record.graph = 3;
    record.graph_node = static_cast<std::uint64_t>(node);
    timeline.take(record);
  }
  const auto kernels = rows_of(trace::TrackKind::gpu_stream, hand_over());
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(kernels[0].slice.flow, flow_of_launch(9));
  EXPECT_NE(strings.view(kernels[0].slice.detail).find("graph 3 node 0"), std::string_view::npos);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(kernels[i].slice.flow, 0U);
  EXPECT_EQ(kernels[0].depth, 0);
  EXPECT_EQ(kernels[1].depth, 1);
  EXPECT_EQ(kernels[2].depth, 2);
  EXPECT_EQ(kernels[3].depth, 0) << "the first one has ended";
}

TEST_F(GpuTimelineTest, a_driver_call_lies_below_the_runtime_call_that_made_it) {
  timeline.take(call(5, 103, 108, "cuLaunchKernel"));
  timeline.take(call(5, 100, 110, "cudaLaunchKernel"));
  const auto calls = rows_of(trace::TrackKind::cuda_api, hand_over());
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(strings.view(calls[0].slice.name), "cudaLaunchKernel");
  EXPECT_EQ(calls[0].depth, 0);
  EXPECT_EQ(calls[1].depth, 1);
}

TEST_F(GpuTimelineTest, streams_devices_and_threads_have_their_own_tracks) {
  timeline.take(kernel(1, 10, 20, 7));
  timeline.take(kernel(2, 10, 20, 13));
  GpuRecord other = kernel(3, 10, 20, 7);
  other.device = 1;
  timeline.take(other);
  GpuRecord thread = call(1, 1, 2);
  thread.thread = 12;
  timeline.take(thread);
  timeline.take(call(2, 1, 2));
  GpuRecord cost;
  cost.kind = GpuKind::overhead;
  cost.begin_ns = 4;
  cost.end_ns = 5;
  timeline.take(cost);
  hand_over();
  EXPECT_EQ(tracks.size(), 6U);
}

// Whatever the order in which buffers bring them, the store takes every row, each with its launch.
TEST_F(GpuTimelineTest, any_order_gives_the_same_rows) {
  std::vector<GpuRecord> records;
  constexpr int kLaunches = 500;
  for (int i = 0; i < kLaunches; ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    records.push_back(correlation(number, "aten::mm", i % 2 == 0 ? "even" : "odd"));
    records.push_back(call(number, 1000 + 100 * i, 1040 + 100 * i));
    records.push_back(kernel(number, 1050 + 100 * i, 1145 + 100 * i));
  }
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(records.begin(), records.end(), random);
    for (const GpuRecord& record : records) timeline.take(record);
    const Batch batch = hand_over();
    trace::TraceStore store;
    for (const trace::Track& track : tracks) store.add_track(track);
    for (const Batch::Row& row : batch.slices) {
      EXPECT_TRUE(store.append(row.track, row.depth, row.slice));
    }
    const auto kernels = rows_of(trace::TrackKind::gpu_stream, batch);
    ASSERT_EQ(kernels.size(), std::size_t{kLaunches});
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_EQ(strings.view(kernels[i].slice.module), i % 2 == 0 ? "even" : "odd");
      EXPECT_EQ(kernels[i].slice.flow, flow_of_launch(static_cast<std::uint32_t>(i + 1)));
    }
  }
}

TEST_F(GpuTimelineTest, the_collector_hands_gpu_rows_on) {
  Recorder recorder(strings);
  std::vector<Batch> batches;
  {
    Collector collector(recorder, [&](Batch&& batch) { batches.push_back(std::move(batch)); });
    const std::vector<GpuRecord> records = {correlation(5, "aten::bmm", "ffn"), call(5, 100, 110),
                                            kernel(5, 150, 250)};
    recorder.gpu().push(records);
    recorder.gpu().add_dropped(3);
    collector.flush();
  }
  ASSERT_FALSE(batches.empty());
  std::vector<trace::Track> told;
  std::size_t rows = 0;
  for (const Batch& batch : batches) {
    for (const Batch::NewTrack& track : batch.tracks) {
      EXPECT_EQ(track.id, told.size());
      told.push_back(track.track);
    }
    rows += batch.slices.size();
  }
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].kind, trace::TrackKind::phases) << "track 0 is kept for them";
  EXPECT_EQ(rows, 2U);
  EXPECT_EQ(batches.back().dropped, 3U);
}

}  // namespace
}  // namespace ts::capture
