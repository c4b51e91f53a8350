#include "core/capture/buffer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <set>
#include <thread>

namespace ts::capture {
namespace {

TEST(BufferPool, buffers_are_apart_and_aligned) {
  BufferPool pool(4, 1000);
  EXPECT_EQ(pool.buffer_bytes() % BufferPool::kAlignment, 0U);
  std::set<std::uint8_t*> taken;
  for (int i = 0; i < 4; ++i) {
    std::uint8_t* const buffer = pool.take();
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % BufferPool::kAlignment, 0U);
    std::memset(buffer, i, pool.buffer_bytes());
    taken.insert(buffer);
  }
  EXPECT_EQ(taken.size(), 4U);
  EXPECT_EQ(pool.take(), nullptr);
  EXPECT_EQ(pool.refused(), 1U);
}

TEST(BufferPool, what_is_full_comes_in_order_and_is_used_again) {
  BufferPool pool(2, 64);
  std::uint8_t* const first = pool.take();
  std::uint8_t* const second = pool.take();
  pool.fill(second, 8, 0);
  pool.fill(first, 16, 5);
  const auto oldest = pool.next();
  ASSERT_TRUE(oldest);
  EXPECT_EQ(oldest->data, second);
  EXPECT_EQ(oldest->bytes, 8U);
  EXPECT_EQ(pool.lost(), 5U);
  EXPECT_EQ(pool.take(), nullptr) << "it is still being read";
  pool.recycle(oldest->data);
  EXPECT_EQ(pool.take(), second);
}

TEST(BufferPool, an_empty_buffer_is_free_at_once) {
  BufferPool pool(1, 64);
  pool.fill(pool.take(), 0, 0);
  EXPECT_FALSE(pool.next());
  EXPECT_NE(pool.take(), nullptr);
}

// A stand-in for CUPTI: threads of its own take buffers, fill them with numbered records and give
// them back, while one thread reads. Nothing that was written is lost or seen twice.
TEST(BufferPool, threads_that_fill_and_one_that_reads) {
  BufferPool pool(8, 256);
  constexpr std::uint64_t kEach = 2000;
  constexpr int kThreads = 3;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> fillers;
  for (int thread = 0; thread < kThreads; ++thread) {
    fillers.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kEach;) {
        std::uint8_t* const buffer = pool.take();
        if (buffer == nullptr) {
          std::this_thread::yield();
          continue;
        }
        const std::uint64_t record = static_cast<std::uint64_t>(thread) * kEach + i;
        std::memcpy(buffer, &record, sizeof(record));
        pool.fill(buffer, sizeof(record), 0);
        ++i;
      }
      --running;
    });
  }
  std::set<std::uint64_t> seen;
  while (true) {
    const bool last = running == 0;
    while (const auto filled = pool.next()) {
      std::uint64_t record = 0;
      std::memcpy(&record, filled->data, sizeof(record));
      EXPECT_TRUE(seen.insert(record).second);
      pool.recycle(filled->data);
    }
    if (last) break;
    std::this_thread::yield();
  }
  for (std::thread& filler : fillers) filler.join();
  EXPECT_EQ(seen.size(), kThreads * kEach);
}

}  // namespace
}  // namespace ts::capture
