#include "core/base/tick_clock.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace ts::base {
namespace {

constexpr std::int64_t kFirstMeasurement = 1'000'000;  // ns
constexpr double kMadeUpWithin = 100e6;                // ns
constexpr std::int64_t kMostDifference = 50'000;       // ns; more: the count is not to be trusted

// Whether the system's own clock is the processor's count.
bool system_counts_ticks() {
#ifdef __x86_64__
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return file >> name && name == "tsc";
#else
  return false;
#endif
}

}  // namespace

TickClock::Pair TickClock::read_both() noexcept {
  Pair best;
  constexpr int kReadings = 5;
  auto shortest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kReadings; ++i) {
    const std::uint64_t before = count_in_order();
    const std::int64_t ns = now_ns();
    const std::uint64_t took = count_in_order() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, ns};
  }
  return best;
}

void TickClock::use(Pair begin, double slope) noexcept {
  const std::uint32_t next = version_.load(std::memory_order_relaxed) + 1;
  Line& line = lines_[next % 2];
  line.ticks.store(begin.ticks, std::memory_order_release);
  line.ns.store(begin.ns, std::memory_order_release);
  line.slope.store(static_cast<std::int64_t>(slope * static_cast<double>(1 << kSlopeBits)),
                   std::memory_order_release);
  version_.store(next, std::memory_order_release);
}

void TickClock::begin(Pair now) noexcept {
  tried_ = true;
  if (!system_counts_ticks()) return;
  first_ = now;
  while (now.ns - first_.ns < kFirstMeasurement) now = read_both();
  steer(now);
}

void TickClock::steer(Pair now) noexcept {
  const double slope =
      static_cast<double>(now.ns - first_.ns) / static_cast<double>(now.ticks - first_.ticks);
  const std::int64_t behind = now.ns - read([&] { return now.ticks; });
  if (std::abs(behind) > kMostDifference) {
    use(now, 0);
    first_ = {};
    return;
  }
  // The new line begins where others read the old one last.
  const std::uint64_t ticks = count_in_order();
  use({ticks, read([&] { return ticks; })},
      slope * (1 + static_cast<double>(behind) / kMadeUpWithin));
}

void TickClock::follow() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  if (!tried_) {
    begin(read_both());
  } else if (first_.ticks != 0) {
    steer(read_both());
  }
}

}  // namespace ts::base
