#pragma once

#include <array>
#include <csignal>

namespace ts::app {

// While an object lives, Control-C (SIGINT), SIGTERM and SIGHUP are remembered instead of ending
// the program. An ignored SIGHUP stays ignored (nohup). The destructor restores the earlier
// handlers. Of objects within others the outermost counts: an interrupt stays known until its end.
// Main thread.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool interrupted();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), kSignals.size()> previous_{};
};

}  // namespace ts::app
