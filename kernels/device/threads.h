#pragma once

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// While it lives, operators called on this thread use the CPU threads of the setting; afterwards as
// many as before. Does nothing for 0 and on other devices. Affects only the calling thread: a
// measurement on another thread is not changed by a dry run.
class ThreadsScope {
 public:
  explicit ThreadsScope(const spec::WorkloadSpec& spec);
  ~ThreadsScope();
  ThreadsScope(const ThreadsScope&) = delete;
  ThreadsScope& operator=(const ThreadsScope&) = delete;

 private:
  int before_ = 0;  // 0: nothing was changed
};

}  // namespace ts::kernels
