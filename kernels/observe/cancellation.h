#pragma once

#include <c10/util/Exception.h>

#include "core/base/cancel.h"

namespace ts::kernels {

// Unwinds a cancelled step, also through autograd.
class Cancelled : public c10::Error {
 public:
  Cancelled() : c10::Error("cancelled") {}
};

// While it lives the token is checked at every CPU allocation and at every module
// (check_cancelled). One at a time; the allocator is process-wide, so the current token is too. On
// a thread that makes a dry run the token of the dry run is checked, and a scope does nothing.
class CancelScope {
 public:
  explicit CancelScope(const base::CancelToken& token) noexcept;
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  bool process_wide_;
};

// Throws Cancelled when the current token was cancelled, but never while another exception unwinds
// (a destructor may allocate). Any thread.
void check_cancelled();

// True if the current token was cancelled: for a thread of a pool, which must not throw. Any
// thread.
bool is_cancelled();

}  // namespace ts::kernels
