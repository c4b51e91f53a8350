#include "core/run/update.h"

#include <gtest/gtest.h>

#include <thread>

namespace ts::run {
namespace {

Update batch_of(RunId id, std::size_t slices, std::uint64_t dropped = 0) {
  BatchUpdate update;
  update.id = id;
  update.batch.tracks.push_back({0, {trace::TrackKind::cpu_thread, "worker"}});
  update.batch.slices.resize(slices);
  update.batch.dropped = dropped;
  return update;
}

const capture::Batch& batch_at(const std::vector<Update>& updates, std::size_t index) {
  return std::get<BatchUpdate>(updates.at(index)).batch;
}

TEST(UpdateQueue, gives_everything_back_in_order_and_replaces_the_vector) {
  UpdateQueue queue;
  for (RunId id = 1; id <= 3; ++id) queue.push(ProgressUpdate{id, Stage::warmup, 0, -1});
  std::vector<Update> taken(10);
  queue.take(taken);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(std::get<ProgressUpdate>(taken[2]).id, 3U);
  queue.take(taken);
  EXPECT_TRUE(taken.empty());
}

TEST(UpdateQueue, drops_and_counts_records_beyond_its_bytes) {
  UpdateQueue queue(10 * sizeof(capture::Batch::Row));
  queue.push(batch_of(1, 6));
  queue.push(batch_of(1, 5));  // one too many
  queue.push(batch_of(1, 4));  // fits again
  queue.push(FinishedUpdate{});
  EXPECT_EQ(queue.dropped(), 5U);
  std::vector<Update> taken;
  queue.take(taken);
  ASSERT_EQ(taken.size(), 4U);
  EXPECT_EQ(batch_at(taken, 0).slices.size(), 6U);
  EXPECT_EQ(batch_at(taken, 0).dropped, 0U);
  EXPECT_TRUE(batch_at(taken, 1).slices.empty());
  EXPECT_EQ(batch_at(taken, 1).tracks.size(), 1U);  // later batches refer to them
  EXPECT_EQ(batch_at(taken, 1).dropped, 5U);
  EXPECT_EQ(batch_at(taken, 2).dropped, 5U);
  EXPECT_TRUE(std::holds_alternative<FinishedUpdate>(taken[3]));
}

TEST(UpdateQueue, has_room_again_once_taken) {
  UpdateQueue queue(10 * sizeof(capture::Batch::Row));
  std::vector<Update> taken;
  for (int i = 0; i < 5; ++i) {
    queue.push(batch_of(1, 10));
    queue.take(taken);
    EXPECT_EQ(batch_at(taken, 0).slices.size(), 10U);
  }
  EXPECT_EQ(queue.dropped(), 0U);
}

TEST(UpdateQueue, counts_losses_run_by_run) {
  UpdateQueue queue(sizeof(capture::Batch::Row));
  queue.push(batch_of(1, 3, 2));
  queue.push(batch_of(2, 0, 1));
  std::vector<Update> taken;
  queue.take(taken);
  EXPECT_EQ(batch_at(taken, 0).dropped, 5U);
  EXPECT_EQ(batch_at(taken, 1).dropped, 1U);
  EXPECT_EQ(queue.dropped(), 3U);
}

TEST(UpdateQueue, loses_nothing_between_threads) {
  UpdateQueue queue;
  constexpr int kEach = 5000;
  std::vector<std::thread> threads;
  for (RunId id = 0; id < 3; ++id) {
    threads.emplace_back([&queue, id] {
      for (int i = 0; i < kEach; ++i) {
        queue.push(ProgressUpdate{id, Stage::timing, 0, static_cast<double>(i)});
      }
    });
  }
  std::vector<Update> taken;
  double next[3] = {0, 0, 0};
  int count = 0;
  while (count < 3 * kEach) {
    queue.take(taken);
    for (const Update& update : taken) {
      const auto& progress = std::get<ProgressUpdate>(update);
      EXPECT_EQ(progress.seconds_left, next[progress.id]++);
      ++count;
    }
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace ts::run
