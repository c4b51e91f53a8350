#include "kernels/device/threads.h"

#include <ATen/Parallel.h>

namespace ts::kernels {

ThreadsScope::ThreadsScope(const spec::WorkloadSpec& spec) {
  if (spec.threads <= 0 || spec.device != spec::DeviceKind::cpu) return;
  const int wanted = static_cast<int>(spec.threads);
  const int now = at::get_num_threads();
  if (wanted == now) return;
  before_ = now;
  at::set_num_threads(wanted);
}

ThreadsScope::~ThreadsScope() {
  if (before_ > 0) at::set_num_threads(before_);
}

}  // namespace ts::kernels
