#include "app/session/interrupt.h"

#include <cstddef>

namespace ts::app {
namespace {

volatile std::sig_atomic_t seen = 0;
int guards = 0;

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  seen = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    previous_[i] = std::signal(kSignals[i], [](int) { seen = 1; });
    if (kSignals[i] == SIGHUP && previous_[i] == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  }
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], previous_[i]);
}

bool InterruptGuard::interrupted() {
  return seen != 0;
}

}  // namespace ts::app
