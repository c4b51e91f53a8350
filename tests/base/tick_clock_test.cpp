#include "core/base/tick_clock.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace ts::base {
namespace {

// The two clocks are at most so far apart, besides the time between two looks at them.
constexpr std::int64_t kMostApart = 100'000;  // ns

void expect_same(const TickClock& clock) {
  const std::int64_t before = now_ns();
  const std::int64_t now = clock.now();
  const std::int64_t in_order = clock.now_in_order();
  const std::int64_t after = now_ns();
  EXPECT_GT(now, before - kMostApart);
  EXPECT_LT(now, after + kMostApart);
  EXPECT_GT(in_order, before - kMostApart);
  EXPECT_LT(in_order, after + kMostApart);
}

TEST(TickClock, IsTheProgramsClockBeforeItFollows) {
  const TickClock clock;
  const std::int64_t before = now_ns();
  const std::int64_t now = clock.now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, now_ns());
}

TEST(TickClock, StaysWithTheProgramsClock) {
  TickClock clock;
  for (int i = 0; i < 200; ++i) {
    clock.follow();
    expect_same(clock);
  }
}

// While another one steers it, each thread's time goes on.
TEST(TickClock, NeverGoesBack) {
  TickClock clock;
  clock.follow();
  std::atomic<bool> stop{false};
  std::array<std::int64_t, 2> back{};
  std::array<std::thread, 2> readers;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    readers[i] = std::thread([&, i] {
      for (std::int64_t last = clock.now_in_order(); !stop;) {
        const std::int64_t now = clock.now_in_order();
        if (now < last) ++back[i];
        last = now;
      }
    });
  }
  for (int i = 0; i < 2000; ++i) clock.follow();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(back, (std::array<std::int64_t, 2>{}));
}

}  // namespace
}  // namespace ts::base
