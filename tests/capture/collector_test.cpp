#include "core/capture/collector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/allocation_log.h"
#include "tests/capture/raw_records.h"

namespace ts::capture {
namespace {

using memory::Action;
using testing::Collected;
using testing::op;
using testing::raw;

// A full table has 2^24 names, which take 1.5 GB: the test sets their number instead.
std::atomic<std::uint32_t>& size_of(base::StringTable& table);
template <auto kSize>
struct SizeOf {
  friend std::atomic<std::uint32_t>& size_of(base::StringTable& table) { return table.*kSize; }
};
template struct SizeOf<&base::StringTable::size_>;

class CollectorTest : public ::testing::Test {
 protected:
  base::StringTable strings;
  base::StringId name = strings.intern("aten::mm");
  Collected collected;
};

TEST_F(CollectorTest, hands_on_what_was_pushed_before_a_flush) {
  Recorder recorder(strings);
  Collector collector(recorder, collected.sink());
  ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
  EXPECT_TRUE(log->ring.try_push(op(name, 10, 30)));
  EXPECT_TRUE(log->ring.try_push(raw(testing::memory(Action::alloc, 20, 0xA))));
  collector.flush();

  ASSERT_EQ(collected.tracks.size(), 2U);
  EXPECT_EQ(collected.tracks[1].track.name, "worker");
  ASSERT_EQ(collected.slices.size(), 1U);
  EXPECT_EQ(collected.slices[0].track, 1);
  EXPECT_EQ(collected.slices[0].slice.begin_ns, 10);
  EXPECT_EQ(collected.slices[0].slice.slice_class, trace::SliceClass::matmul);
  ASSERT_EQ(collected.memory.size(), 1U);
  EXPECT_EQ(collected.memory[0].address, 0xAU);
  EXPECT_EQ(collected.dropped, 0U);
}

TEST_F(CollectorTest, hands_on_without_a_flush_within_a_moment) {
  Recorder recorder(strings);
  std::atomic<std::size_t> slices = 0;
  const Collector collector(recorder, [&](Batch&& batch) { slices += batch.slices.size(); });
  ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
  const std::int64_t deadline = base::now_ns() + 20'000'000'000;
  log->ring.try_push(op(name, 1, 2));
  while (slices == 0 && base::now_ns() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(slices, 1U);
}

TEST_F(CollectorTest, counts_what_a_full_ring_refused) {
  Recorder recorder(strings, 16);
  ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
  const std::size_t room = log->ring.capacity();
  EXPECT_GE(room, 16U);
  for (std::size_t i = 0; i < room + 24; ++i) {
    const auto begin = static_cast<std::int64_t>(i);
    log->ring.try_push(op(name, begin, begin + 1));
  }
  Collector collector(recorder, collected.sink());
  collector.flush();
  EXPECT_EQ(collected.slices.size(), room);
  EXPECT_EQ(collected.dropped, 24U);
}

TEST_F(CollectorTest, a_name_without_room_counts_as_a_lost_record) {
  Recorder recorder(strings);
  ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
  Collector collector(recorder, collected.sink());
  RawRecord record = op(name, 0, 1);
  log->ring.try_push(record);
  collector.flush();
  EXPECT_EQ(collected.dropped, 0U);
  const std::uint32_t before = strings.size();
  size_of(strings) = 1U << 24U;
  record.shapes = testing::shapes({{{8, 16}, DType::fp32}});
  for (int i = 0; i < 5; ++i) log->ring.try_push(record);
  collector.flush();
  EXPECT_EQ(collected.slices.size(), 6U) << "they are there, but their shapes are not";
  EXPECT_GE(collected.dropped, 1U);
  EXPECT_EQ(collected.dropped, strings.overflowed());
  // Losses before a collector began are not its own.
  Recorder later(strings);
  later.add_thread(trace::TrackKind::cpu_thread, "worker")->ring.try_push(op(name, 2, 3));
  Collected of_later;
  Collector second(later, of_later.sink());
  second.flush();
  EXPECT_EQ(of_later.slices.size(), 1U);
  EXPECT_EQ(of_later.dropped, 0U);
  size_of(strings) = before;
}

TEST_F(CollectorTest, stops_at_once_and_may_be_empty) {
  Recorder recorder(strings);
  const std::int64_t begin_ns = base::now_ns();
  for (int i = 0; i < 50; ++i) {
    Collector collector(recorder, collected.sink());
    if (i % 2 == 0) collector.flush();
  }
  EXPECT_EQ(collected.batches, 0U);
  EXPECT_LT(base::now_ns() - begin_ns, 10'000'000'000);
}

TEST_F(CollectorTest, strings_are_interned_once) {
  Recorder recorder(strings);
  ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "worker");
  Collector collector(recorder, collected.sink());
  RawRecord record = op(name, 0, 1);
  record.shapes = testing::shapes({{{8, 16}, DType::fp32}, {{16, 4}, DType::fp32}});
  const std::uint32_t before = strings.size();
  for (int i = 0; i < 1'000; ++i) log->ring.try_push(record);
  collector.flush();
  ASSERT_EQ(collected.slices.size(), 1'000U);
  EXPECT_EQ(strings.size(), before + 1);
  for (const Batch::Row& row : collected.slices) {
    ASSERT_EQ(strings.view(row.slice.detail), "[8, 16] fp32, [16, 4] fp32");
  }
}

// Pushes until it fits; a full ring counts a loss each time, which these tests do not look at.
void push(ThreadLog& log, const RawRecord& record) {
  while (!log.ring.try_push(record)) std::this_thread::yield();
}

TEST_F(CollectorTest, threads_keep_their_order_and_nothing_is_lost) {
  constexpr std::int64_t kThreads = 3;
  constexpr std::int64_t kRecords = 20'000;
  Recorder recorder(strings, 1U << 10);
  Collector collector(recorder, collected.sink());
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::int64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ThreadLog* log =
          recorder.add_thread(trace::TrackKind::cpu_thread, "thread " + std::to_string(t));
      for (std::int64_t i = 0; i < kRecords; ++i) push(*log, op(name, i, i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  collector.flush();
  EXPECT_EQ(collected.slices.size(), kThreads * kRecords);
  std::vector<std::int64_t> next(kThreads + 1, 0);
  for (const Batch::Row& row : collected.slices) {
    ASSERT_EQ(row.slice.begin_ns, next[row.track]++);
  }
}

TEST_F(CollectorTest, a_producer_that_flushes_finds_its_own_records) {
  Recorder recorder(strings, 1U << 10);
  std::atomic<std::int64_t> received = 0;  // slices of the first thread
  Collector collector(recorder, [&](Batch&& batch) {
    for (const Batch::Row& row : batch.slices) received += row.track == 1 ? 1 : 0;
  });
  ThreadLog* own = recorder.add_thread(trace::TrackKind::cpu_thread, "flushes");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "never rests");
    for (std::int64_t i = 0; !stop; ++i) push(*log, op(name, i, i + 1));
  });
  std::int64_t pushed = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 50; ++i) {
      push(*own, op(name, pushed, pushed + 1, 0, pushed));
      ++pushed;
    }
    collector.flush();
    ASSERT_EQ(received, pushed);
  }
  stop = true;
  other.join();
}

TEST_F(CollectorTest, several_threads_may_flush) {
  Recorder recorder(strings);
  std::atomic<std::int64_t> received = 0;
  Collector collector(
      recorder, [&](Batch&& batch) { received += static_cast<std::int64_t>(batch.slices.size()); });
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ThreadLog* log = recorder.add_thread(trace::TrackKind::cpu_thread, "thread");
      for (int round = 0; round < kRounds; ++round) {
        push(*log, op(name, round, round + 1));
        collector.flush();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(received, kThreads * kRounds);
}

// Blocks are made on one thread and freed on another. Whatever the drains see first, the log must
// find every alloc before its free. Between the two rings lies one that takes long to decode, so
// that many blocks come and go after the first was drained and before the last is.
TEST_F(CollectorTest, a_free_on_another_thread_never_overtakes_its_alloc) {
  constexpr std::int32_t kSlow = 1 << 14;
  Recorder recorder(strings, kSlow);
  memory::AllocationLog log;
  Collector collector(recorder, [&](Batch&& batch) {
    for (const memory::Record& record : batch.memory) log.append(record);
  });
  ThreadLog* allocates = recorder.add_thread(trace::TrackKind::cpu_thread, "allocates");
  ThreadLog* slow = recorder.add_thread(trace::TrackKind::cpu_thread, "slow");
  ThreadLog* frees = recorder.add_thread(trace::TrackKind::autograd_thread, "frees");
  std::uint64_t blocks = 0;
  for (std::int32_t round = 0; round < 5; ++round) {
    for (std::int32_t i = 0; i < kSlow; ++i) {
      RawRecord record = op(name, i, i + 1);
      record.shapes = testing::shapes({{{round, i}, DType::fp32}});  // a text not seen before
      push(*slow, record);
    }
    std::atomic<bool> flushed = false;
    std::thread flusher([&] {
      collector.flush();
      flushed = true;
    });
    while (!flushed) {
      memory::Record record = testing::memory(Action::alloc, base::now_ns(), ++blocks);
      record.size = 1;
      push(*allocates, raw(record));
      push(*frees, raw(testing::memory(Action::free_completed, base::now_ns(), blocks)));
    }
    flusher.join();
  }
  collector.flush();
  EXPECT_EQ(log.unmatched_frees(), 0U);
  EXPECT_EQ(log.blocks().size(), blocks);
  EXPECT_EQ(log.current_bytes(), 0);
}

}  // namespace
}  // namespace ts::capture
