#pragma once

#include <array>
#include <csignal>

namespace ts::app {

// While one lives, Control-C (SIGINT), SIGTERM and SIGHUP are remembered instead of ending the
// program. A hang-up that is ignored stays so: nohup. Restores the handlers that were there before.
// One at a time, main thread.
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
