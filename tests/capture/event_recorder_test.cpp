#include "core/capture/event_recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "core/capture/gpu_capture.h"
#include "core/capture/gpu_timeline.h"

namespace ts::capture {
namespace {

// Events that count the nanoseconds of a clock which the test moves; done when the test says so.
// The capture's own thread asks whether they are.
struct Clock {
  std::atomic<std::int64_t> now = 0;
  std::atomic<std::int64_t> done_until = 1'000'000;
  std::atomic<bool> none = false;

  void* record() {
    const std::lock_guard lock(mutex);
    if (none) return nullptr;
    void* const event = reinterpret_cast<void*>(++last);
    events[event] = now;
    return event;
  }
  std::int64_t time_of(void* event) {
    const std::lock_guard lock(mutex);
    return events.at(event);
  }
  void release(void* event) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(released.insert(event).second) << "twice";
  }

  std::mutex mutex;
  std::map<void*, std::int64_t> events;
  std::set<void*> released;
  std::uintptr_t last = 0;
};
Clock* the_clock = nullptr;

DeviceEvents fake_events() {
  return {[] { return the_clock->record(); },
          [](void* event) { return the_clock->time_of(event) <= the_clock->done_until; },
          [](void* from, void* to) { return the_clock->time_of(to) - the_clock->time_of(from); },
          [](void* event) { the_clock->release(event); },
          [] { return std::uint32_t{1}; },
          [] { return std::uint32_t{7}; },
          [] {}};
}

std::unique_ptr<EventRecorder> recorder_of_source;

GpuSource source() {
  return {[](const GpuBuffers& buffers) -> const char* {
            recorder_of_source->set_buffers(buffers);
            return nullptr;
          },
          [](const GpuSink& sink) { return recorder_of_source->begin(sink); },
          []() -> const char* {
            recorder_of_source->end();
            return nullptr;
          },
          [] { recorder_of_source->flush(); },
          {[](std::uint64_t id) noexcept { recorder_of_source->push(id); },
           []() noexcept { recorder_of_source->pop(); }},
          [](const std::uint8_t* buffer, std::size_t bytes) {
            recorder_of_source->read(buffer, bytes);
          },
          [](int) { return recorder_of_source->touch(); }};
}

struct EventRecorderTest : ::testing::Test {
  EventRecorderTest() {
    the_clock = &clock;
    recorder_of_source = std::make_unique<EventRecorder>(fake_events());
    capture = std::make_unique<GpuCapture>(table);
  }
  ~EventRecorderTest() override {
    capture.reset();
    recorder_of_source.reset();
    the_clock = nullptr;
  }
  void op(const char* name, const char* module, std::int64_t length) {
    table.marks.push(correlation_id(strings.intern(name), strings.intern(module)));
    clock.now += length;
    table.marks.pop();
  }
  std::vector<GpuRecord> records() {
    std::vector<GpuRecord> all;
    recorder.gpu().take(all);
    return all;
  }

  Clock clock;
  GpuSource table = source();
  std::unique_ptr<GpuCapture> capture;
  base::StringTable strings;
  Recorder recorder{strings};
};

TEST_F(EventRecorderTest, the_outermost_operator_is_timed_with_its_module) {
  ASSERT_EQ(capture->begin(recorder), "");
  clock.now += 100;
  table.marks.push(correlation_id(strings.intern("aten::linear"), strings.intern("ffn.w1")));
  op("aten::mm", "ffn.w1", 40);
  clock.now += 5;
  table.marks.pop();
  op("aten::add", "ffn", 7);
  capture->end();
  std::vector<trace::Track> tracks;
  GpuTimeline timeline(strings, [&](trace::Track track) {
    tracks.push_back(std::move(track));
    return static_cast<trace::TrackId>(tracks.size() - 1);
  });
  for (const GpuRecord& record : records()) timeline.take(record);
  Batch batch;
  timeline.hand_over(true, batch);
  std::vector<Batch::Row> rows;
  for (const Batch::Row& row : batch.slices) {
    if (tracks[row.track].kind == trace::TrackKind::gpu_stream) rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(tracks[rows[0].track].name, "GPU 1 stream 7");
  EXPECT_EQ(strings.view(rows[0].slice.name), "aten::linear");
  EXPECT_EQ(strings.view(rows[0].slice.module), "ffn.w1");
  EXPECT_EQ(rows[0].slice.slice_class, trace::SliceClass::matmul);
  EXPECT_EQ(rows[0].slice.duration_ns, 45);
  EXPECT_EQ(rows[1].slice.begin_ns - rows[0].slice.begin_ns, 45);
  EXPECT_EQ(clock.released.size(), clock.events.size()) << "every event is given back";
}

TEST_F(EventRecorderTest, what_the_device_has_not_done_waits_for_the_next_flush) {
  struct Filled {
    std::vector<GpuRecord> room = std::vector<GpuRecord>(4);
    std::size_t bytes = 0;
  } filled;
  EventRecorder alone(fake_events());
  alone.set_buffers({&filled,
                     [](void* user, std::size_t* bytes) {
                       auto& room = static_cast<Filled*>(user)->room;
                       *bytes = room.size() * sizeof(GpuRecord);
                       return reinterpret_cast<std::uint8_t*>(room.data());
                     },
                     [](void* user, std::uint8_t*, std::size_t bytes, std::uint64_t) {
                       static_cast<Filled*>(user)->bytes += bytes;
                     }});
  ASSERT_EQ(alone.begin({}), nullptr);
  clock.now = 2'000'000;
  alone.push(7);
  alone.pop();
  alone.flush();
  EXPECT_EQ(filled.bytes, 0U);
  clock.done_until = 3'000'000;
  alone.flush();
  EXPECT_EQ(filled.bytes, 2 * sizeof(GpuRecord)) << "the operator and its time";
  EXPECT_EQ(filled.room[1].end_ns - filled.room[1].begin_ns, 0);
  alone.push(8);
  clock.now = 9'000'000;
  alone.pop();
  alone.end();
  EXPECT_EQ(filled.bytes, 2 * sizeof(GpuRecord)) << "never done";
  EXPECT_EQ(clock.released.size(), clock.events.size());
}

TEST_F(EventRecorderTest, operators_outside_a_recording_leave_nothing_behind) {
  op("aten::mm", "ffn", 10);
  ASSERT_EQ(capture->begin(recorder), "");
  capture->end();
  EXPECT_EQ(records().size(), 1U);
  EXPECT_EQ(clock.released.size(), clock.events.size());
}

TEST_F(EventRecorderTest, the_self_test_sees_its_record_or_says_why_not) {
  EXPECT_EQ(capture->self_test(0), "");
  clock.none = true;
  EXPECT_EQ(capture->self_test(0), "CUDA events cannot be made");
}

}  // namespace
}  // namespace ts::capture
