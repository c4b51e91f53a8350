// Events of the CUDA allocator become a snapshot and the reserved bytes of a log; the part of the
// allocator is played by functions of our own.
#include "kernels/observe/allocator_trace.h"

#include <gtest/gtest.h>

#include "kernels/observe/recording.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

CudaAllocatorListener listener = nullptr;

const char* print_one_segment(const CudaAllocatorVisitor& visitor) {
  CudaSegment segment{};
  segment.address = 0x1000;
  segment.total_size = 2 << 20;
  segment.allocated_size = 512;
  segment.active_size = 512;
  segment.requested_size = 400;
  segment.small_pool = true;
  visitor.segment(visitor.user, segment);
  visitor.block(visitor.user, {0x1000, 512, 400, allocator::BlockState::active_allocated});
  visitor.block(visitor.user, {0x1200, (2 << 20) - 512, 0, allocator::BlockState::inactive});
  const std::int64_t divisions[] = {0, 4};
  visitor.settings(visitor.user, {"expandable_segments:False", -1, 0.5, false, divisions, 2});
  return nullptr;
}

CudaApi fake_api() {
  CudaApi api{};
  api.version = kCudaApiVersion;
  api.on_allocator_event = [](CudaAllocatorListener wanted) { listener = wanted; };
  api.visit_allocator = print_one_segment;
  return api;
}

CudaAllocatorEvent event(allocator::TraceAction action, std::uint64_t address, std::int64_t size) {
  return {action, 0, address, size, 0};
}

TEST(AllocatorTrace, every_event_of_a_recording_is_in_the_snapshot) {
  const CudaApi api = fake_api();
  Recorded recorded;
  std::shared_ptr<const allocator::Snapshot> snapshot;
  {
    AllocatorTrace trace(api);
    ASSERT_NE(listener, nullptr);
    listener(event(allocator::TraceAction::alloc, 0x9000, 8));  // before the recording
    {
      const Recording recording(recorded.recorder, 0, c10::DeviceType::CUDA);
      listener(event(allocator::TraceAction::segment_alloc, 0x1000, 2 << 20));
      listener(event(allocator::TraceAction::alloc, 0x1000, 400));
      listener(event(allocator::TraceAction::alloc, 0x1200, 100));
      listener(event(allocator::TraceAction::free_requested, 0x1200, 100));
      listener(event(allocator::TraceAction::free_completed, 0x1200, 100));
      listener(event(allocator::TraceAction::oom, 77, 1 << 30));
    }
    listener(event(allocator::TraceAction::snapshot, 0, 512));  // after it
    snapshot = trace.snapshot(recorded.strings);
    EXPECT_EQ(trace.left_out(), 0U);
  }
  EXPECT_EQ(listener, nullptr) << "nobody listens any more";
  ASSERT_NE(snapshot, nullptr);
  ASSERT_EQ(snapshot->device_traces.size(), 1U);
  std::vector<allocator::TraceAction> actions;
  for (const allocator::TraceEntry& entry : snapshot->device_traces[0]) {
    actions.push_back(entry.action);
    EXPECT_GT(entry.time_us, std::int64_t{1'600'000'000'000'000}) << "Unix time";
  }
  using Action = allocator::TraceAction;
  EXPECT_EQ(actions, (std::vector{Action::segment_alloc, Action::alloc, Action::alloc,
                                  Action::free_requested, Action::free_completed, Action::oom}));
  ASSERT_EQ(snapshot->segments.size(), 1U);
  ASSERT_EQ(snapshot->segments[0].blocks.size(), 2U);
  EXPECT_EQ(snapshot->segments[0].blocks[0].requested, 400);
  EXPECT_EQ(snapshot->segments[0].blocks[1].state, allocator::BlockState::inactive);
  const auto settings = allocator::recorded_settings(*snapshot);
  ASSERT_TRUE(settings) << settings.error().sentence;
  EXPECT_FALSE(settings->expandable_segments);
  EXPECT_EQ(settings->garbage_collection_threshold, 0.5);

  recorded.drain();
  const auto reserved = recorded.memory.reserved();
  ASSERT_EQ(reserved.size(), 1U);
  EXPECT_EQ(reserved[0].bytes, 2 << 20);
  EXPECT_TRUE(recorded.memory.blocks().empty()) << "blocks come from LibTorch's own report";
}

TEST(AllocatorTrace, of_too_many_events_the_newest_stay_in_their_order) {
  const CudaApi api = fake_api();
  Recorded recorded;
  const AllocatorTrace trace(api, AllocatorTrace::Keep::newest, 3);
  {
    const Recording recording(recorded.recorder, 0, c10::DeviceType::CUDA);
    for (const std::int64_t size : {1, 2, 3, 4, 5})
      listener(event(allocator::TraceAction::alloc, 0x1000, size));
  }
  const auto snapshot = trace.snapshot(recorded.strings);
  ASSERT_NE(snapshot, nullptr);
  std::vector<std::int64_t> sizes;
  for (const allocator::TraceEntry& entry : snapshot->device_traces.at(0))
    sizes.push_back(entry.size);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(trace.left_out(), 2U);
}

TEST(AllocatorTrace, an_allocator_that_does_not_answer_gives_no_snapshot) {
  CudaApi api = fake_api();
  api.visit_allocator = [](const CudaAllocatorVisitor&) -> const char* { return "no"; };
  const AllocatorTrace trace(api);
  const base::StringTable strings;
  EXPECT_EQ(trace.snapshot(strings), nullptr);
}

}  // namespace
}  // namespace ts::kernels
