#include "app/interrupt.h"

#include <csignal>

namespace ts::app {
namespace {

volatile std::sig_atomic_t seen = 0;

}  // namespace

InterruptGuard::InterruptGuard() {
  seen = 0;
  previous_ = std::signal(SIGINT, [](int) { seen = 1; });
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, previous_);
}

bool InterruptGuard::interrupted() {
  return seen != 0;
}

}  // namespace ts::app
