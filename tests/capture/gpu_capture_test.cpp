#include "core/capture/gpu_capture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include "core/base/clock.h"

namespace ts::capture {
namespace {

// A stand-in for CUPTI with what matters about it: it has a thread of its own, on which it asks for
// buffers and gives them back; flush() returns when that thread has given back what was complete.
// Its records are GpuRecords as they are.
class StandIn {
 public:
  StandIn() : thread_([this] { run(); }) { current = this; }
  ~StandIn() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
    current = nullptr;
  }

  // Something ends on the device.
  void record(const GpuRecord& record) {
    const std::lock_guard lock(mutex_);
    if (open_) pending_.push_back(record);
  }
  void break_with(const char* why) { problem_ = why; }
  void fall_silent() { silent_ = true; }

  static StandIn* current;
  static GpuSource source();

 private:
  void bring() {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = ++asked_;
    wake_.notify_all();
    done_.wait(lock, [&] { return brought_ >= ticket; });
  }
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stop_ || asked_ > brought_; });
      if (stop_) return;
      const std::uint64_t ticket = asked_;
      std::vector<GpuRecord> records;
      records.swap(pending_);
      lock.unlock();
      give(records);
      lock.lock();
      brought_ = ticket;
      done_.notify_all();
    }
  }
  void give(const std::vector<GpuRecord>& records) {
    for (std::size_t done = 0; done < records.size();) {
      std::size_t bytes = 0;
      std::uint8_t* const buffer = buffers_.take(buffers_.user, &bytes);
      const std::size_t room = bytes / sizeof(GpuRecord);
      const std::size_t count = std::min(room, records.size() - done);
      if (buffer != nullptr) {
        std::memcpy(buffer, static_cast<const void*>(records.data() + done),
                    count * sizeof(GpuRecord));
        buffers_.fill(buffers_.user, buffer, count * sizeof(GpuRecord), 0);
      } else {
        lost_ += count;
      }
      done += count;
    }
  }

  GpuBuffers buffers_{};
  GpuSink sink_{};
  const char* problem_ = nullptr;
  std::atomic<bool> silent_ = false;
  std::atomic<std::size_t> lost_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<GpuRecord> pending_;
  bool open_ = false;
  bool stop_ = false;
  std::uint64_t asked_ = 0;
  std::uint64_t brought_ = 0;
  std::thread thread_;
};
StandIn* StandIn::current = nullptr;

GpuSource StandIn::source() {
  return {[](const GpuBuffers& buffers) -> const char* {
            current->buffers_ = buffers;
            return current->problem_;
          },
          [](const GpuSink& sink) -> const char* {
            current->sink_ = sink;
            const std::lock_guard lock(current->mutex_);
            current->open_ = true;
            return nullptr;
          },
          []() -> const char* {
            current->bring();
            const std::lock_guard lock(current->mutex_);
            current->open_ = false;
            return nullptr;
          },
          [] { current->bring(); },
          {[](std::uint64_t) noexcept {}, []() noexcept {}},
          [](const std::uint8_t* buffer, std::size_t bytes) {
            for (std::size_t at = 0; at + sizeof(GpuRecord) <= bytes; at += sizeof(GpuRecord)) {
              if (current->sink_.keep_record != nullptr)
                current->sink_.keep_record(current->sink_.user, buffer + at, sizeof(GpuRecord));
              GpuRecord record;
              std::memcpy(static_cast<void*>(&record), buffer + at, sizeof(record));
              record.name = current->sink_.intern(current->sink_.user, "kernel", 6);
              current->sink_.take(current->sink_.user, record);
            }
          },
          [](int) -> const char* {
            GpuRecord written;
            written.kind = GpuKind::fill;
            written.begin_ns = base::now_ns();
            written.end_ns = written.begin_ns + 1;
            if (!current->silent_) current->record(written);
            return nullptr;
          }};
}

// The clock of a device that goes wrong: this far ahead of ours.
std::atomic<std::int64_t> ahead_ns = 0;

struct GpuCaptureTest : ::testing::Test {
  StandIn stand_in;
  GpuSource source = StandIn::source();
  GpuCapture capture{source};
  base::StringTable strings;
};

GpuRecord kernel(std::uint32_t number) {
  GpuRecord record;
  record.correlation = number;
  record.begin_ns = number + 1;
  record.end_ns = number + 2;
  return record;
}

// Without the one that says that a recording began.
std::vector<GpuRecord> taken(Recorder& recorder) {
  std::vector<GpuRecord> records;
  recorder.gpu().take(records);
  std::erase_if(records, [](const GpuRecord& record) { return record.kind == GpuKind::began; });
  return records;
}

TEST_F(GpuCaptureTest, what_is_kept_is_what_came) {
  GpuBufferFile file;
  capture.keep(&file);
  Recorder recorder(strings);
  ASSERT_EQ(capture.begin(recorder), "");
  for (std::uint32_t i = 0; i < 100; ++i) stand_in.record(kernel(i));
  capture.end();
  capture.keep(nullptr);
  ASSERT_EQ(capture.begin(recorder), "");
  stand_in.record(kernel(100));
  capture.end();
  std::set<std::uint32_t> seen;
  for (std::size_t b = 0; b < file.buffer_count(); ++b) {
    for (std::size_t r = 0; r < file.record_count(b); ++r) {
      GpuRecord record;
      ASSERT_EQ(file.record(b, r).size(), sizeof(record));
      std::memcpy(static_cast<void*>(&record), file.record(b, r).data(), sizeof(record));
      seen.insert(record.correlation);
    }
  }
  EXPECT_EQ(seen.size(), 100U);
}

// A clock that is ahead all along is no drift; one that gains is, as far as it gained.
TEST_F(GpuCaptureTest, a_clock_that_drifts_within_a_recording_is_told) {
  source.clock = [] { return base::now_ns() + ahead_ns; };
  ahead_ns = 5'000'000'000;
  Recorder recorder(strings);
  ASSERT_EQ(capture.begin(recorder), "");
  capture.end();
  // Readings that were interrupted are off by as long as that took.
  constexpr std::int64_t kInterrupted = 20'000'000;
  EXPECT_LT(std::abs(recorder.gpu().drift_ns()), kInterrupted);
  ASSERT_EQ(capture.begin(recorder), "");
  ahead_ns -= 300'000'000;
  capture.end();
  EXPECT_NEAR(static_cast<double>(recorder.gpu().drift_ns()), -3e8, kInterrupted);
  // The largest is kept.
  ASSERT_EQ(capture.begin(recorder), "");
  capture.end();
  EXPECT_LT(recorder.gpu().drift_ns(), -250'000'000);
}

TEST_F(GpuCaptureTest, everything_between_begin_and_end_reaches_the_recorder) {
  for (int round = 0; round < 20; ++round) {
    Recorder recorder(strings);
    ASSERT_EQ(capture.begin(recorder), "");
    constexpr std::uint32_t kCount = 5000;
    for (std::uint32_t i = 0; i < kCount; ++i) stand_in.record(kernel(i));
    capture.end();
    const std::vector<GpuRecord> records = taken(recorder);
    std::set<std::uint32_t> seen;
    for (const GpuRecord& record : records) {
      seen.insert(record.correlation);
      EXPECT_EQ(strings.view(record.name), "kernel");
    }
    EXPECT_EQ(seen.size(), std::size_t{kCount});
    EXPECT_EQ(records.size(), std::size_t{kCount});
    EXPECT_EQ(recorder.dropped(), 0U);
  }
}

TEST_F(GpuCaptureTest, records_come_while_the_recording_is_open) {
  Recorder recorder(strings);
  ASSERT_EQ(capture.begin(recorder), "");
  const auto start = std::chrono::steady_clock::now();
  std::vector<GpuRecord> records;
  while (records.empty() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    stand_in.record(kernel(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    records = taken(recorder);
  }
  EXPECT_FALSE(records.empty());
  capture.end();
}

TEST_F(GpuCaptureTest, the_self_test_sees_its_write) {
  EXPECT_EQ(capture.self_test(0), "");
  EXPECT_EQ(capture.self_test(0), "") << "again";
}

TEST_F(GpuCaptureTest, a_device_that_brings_nothing_has_its_sentence) {
  stand_in.fall_silent();
  EXPECT_NE(capture.self_test(0).find("no record"), std::string::npos);
}

TEST_F(GpuCaptureTest, what_stands_in_the_way_is_told) {
  stand_in.break_with("Another profiler is attached");
  Recorder recorder(strings);
  EXPECT_EQ(capture.begin(recorder), "Another profiler is attached");
  EXPECT_EQ(capture.self_test(0), "Another profiler is attached");
}

}  // namespace
}  // namespace ts::capture
