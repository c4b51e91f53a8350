#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <future>

#include "core/base/cancel.h"

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

// Gives what `work(cancel)` gives, on a thread of its own. An interrupt cancels it, so that its
// processes end with it. `waits(ms)` is called on this thread meanwhile, with the time so far. Main
// thread.
template <class Work, class Waits>
auto unless_interrupted(const Work& work, const Waits& waits) {
  constexpr std::chrono::milliseconds kWait{20};
  const InterruptGuard guard;
  const base::CancelToken cancel;
  auto result = std::async(std::launch::async, [&] { return work(cancel); });
  for (auto so_far = kWait; result.wait_for(kWait) != std::future_status::ready; so_far += kWait) {
    if (InterruptGuard::interrupted()) cancel.cancel();
    waits(so_far);
  }
  return result.get();
}
template <class Work>
auto unless_interrupted(const Work& work) {
  return unless_interrupted(work, [](std::chrono::milliseconds) {});
}

}  // namespace ts::app
