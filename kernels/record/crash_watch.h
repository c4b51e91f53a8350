#pragma once

#include <functional>
#include <thread>

namespace ts::kernels {

// Before a crash ends this process (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT), what is recorded is
// saved on a thread of its own: the thread that crashed only waits for that, half a second at most,
// for it may hold a lock. Then the signal has the handler that it had before. At most one at a
// time; made and destroyed on one thread. A forked process saves nothing.
class CrashWatch {
 public:
  explicit CrashWatch(std::function<void()> save);
  ~CrashWatch();
  CrashWatch(const CrashWatch&) = delete;
  CrashWatch& operator=(const CrashWatch&) = delete;

 private:
  std::thread thread_;
};

}  // namespace ts::kernels
