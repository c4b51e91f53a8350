#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/base/clock.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace ts::base {

// The time of now_ns() for half of its cost, from the processor's count of ticks. Records ask for
// it several times for each operator. The count is used where the system's own clock is made of it,
// so all cores have the same one; everywhere else, and where follow() was not called for a second,
// now_ns() is asked.
//
// follow() compares the two clocks. The time never jumps: what it is ahead or behind, mostly some
// hundred nanoseconds, is made up for over the next 100 ms.
class alignas(64) TickClock {
 public:
  constexpr TickClock() = default;
  TickClock(const TickClock&) = delete;
  TickClock& operator=(const TickClock&) = delete;

  // Any thread. May be some nanoseconds early, before what stands before it has ended.
  [[nodiscard]] std::int64_t now() const noexcept {
    return read([] { return count(); });
  }
  // The same when all that stands before it has ended: for what is compared between threads.
  [[nodiscard]] std::int64_t now_in_order() const noexcept {
    return read([] { return count_in_order(); });
  }

  // Any thread, several times a second while times are asked for. The first call takes a
  // millisecond.
  void follow() noexcept;

 private:
  // Time as a line over ticks. Two take turns: the one that is read is not written.
  struct Line {
    std::atomic<std::uint64_t> ticks{0};
    std::atomic<std::int64_t> ns{0};
    std::atomic<std::int64_t> slope{0};  // ns for a tick, times 2^30; 0: not used
  };
  struct Pair {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
  };
  static constexpr int kSlopeBits = 30;
  static constexpr std::int64_t kMostTicks = std::int64_t{1} << 31U;

  static std::uint64_t count() noexcept {
#ifdef __x86_64__
    return __rdtsc();
#else
    return 0;
#endif
  }
  static std::uint64_t count_in_order() noexcept {
#ifdef __x86_64__
    unsigned core = 0;
    return __rdtscp(&core);
#else
    return 0;
#endif
  }

  template <class Count>
  [[nodiscard]] std::int64_t read(const Count& count) const noexcept {
    constexpr int kMostTries = 64;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const std::uint64_t ticks = count();
      const std::uint32_t version = version_.load(std::memory_order_acquire);
      const Line& line = lines_[version % 2];
      const auto passed =
          static_cast<std::int64_t>(ticks - line.ticks.load(std::memory_order_acquire));
      const std::int64_t ns = line.ns.load(std::memory_order_acquire);
      const std::int64_t slope = line.slope.load(std::memory_order_acquire);
      // A thread that was stopped in between would go back to what an older line said.
      if (version_.load(std::memory_order_relaxed) != version || passed < 0) [[unlikely]]
        continue;
      if (slope == 0 || passed > kMostTicks) [[unlikely]]
        return now_ns();
      return ns + ((passed * slope) >> kSlopeBits);
    }
    return now_ns();
  }
  static Pair read_both() noexcept;
  void use(Pair begin, double slope) noexcept;
  void begin(Pair now) noexcept;
  void steer(Pair now) noexcept;

  std::atomic<std::uint32_t> version_{0};
  std::array<Line, 2> lines_;
  // follow() alone uses what comes now.
  std::mutex mutex_;
  bool tried_ = false;
  Pair first_;  // since when the two clocks have been compared; {}: not compared
};

// That of all records of this process.
inline constinit TickClock record_clock;

}  // namespace ts::base
