#pragma once

namespace ts::app {

// While one lives, Control-C is remembered instead of ending the program. Restores the handler that
// was there before. One at a time, main thread.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool interrupted();

 private:
  void (*previous_)(int);
};

}  // namespace ts::app
