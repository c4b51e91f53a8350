#include "kernels/record/crash_watch.h"

#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <utility>

namespace ts::kernels {
namespace {

constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kMostWaits = 500;
constexpr timespec kWait = {0, 1'000'000};  // 1 ms

// Read by the handler, which may call what is safe in one alone.
sem_t wake;                     // the thread: a crash, or the end
std::atomic<pid_t> process{0};  // that is watched; 0: none
std::atomic<pid_t> saver{0};    // the thread that saves
std::atomic<bool> crashed{false};
std::atomic<bool> saved{false};
std::array<struct sigaction, kSignals.size()> before;

pid_t this_thread() noexcept {
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

void wait_until_saved() noexcept {
  if (process != ::getpid() || saver == this_thread()) return;
  if (!crashed.exchange(true)) ::sem_post(&wake);
  for (int wait = 0; wait < kMostWaits && !saved; ++wait) ::nanosleep(&kWait, nullptr);
}

void on_crash(int signal, siginfo_t* info, void*) {
  const int error = errno;
  wait_until_saved();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) ::sigaction(signal, &before[i], nullptr);
  }
  // The instruction of a fault is tried again at the return; a signal that was sent is sent again.
  if (info->si_code <= 0) ::raise(signal);
  errno = error;
}

}  // namespace

CrashWatch::CrashWatch(std::function<void()> save) {
  ::sem_init(&wake, 0, 0);
  crashed = false;
  saved = false;
  thread_ = std::thread([save = std::move(save)] {
    saver = this_thread();
    while (::sem_wait(&wake) != 0) {
    }
    if (crashed) save();
    saved = true;
  });
  process = ::getpid();
  struct sigaction ours = {};
  ours.sa_sigaction = on_crash;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &ours, &before[i]);
}

CrashWatch::~CrashWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now = {};
    ::sigaction(kSignals[i], nullptr, &now);
    // A handler that was set later may still call ours, which then only passes the signal on.
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash)
      ::sigaction(kSignals[i], &before[i], nullptr);
  }
  process = 0;
  ::sem_post(&wake);
  thread_.join();
}

}  // namespace ts::kernels
