#pragma once

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// While it lives, operators called on this thread use as many CPU threads as the setting says; then
// as many as before. Does nothing for 0 and on other devices. Of the calling thread only: a dry run
// beside a measurement leaves that one alone.
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
