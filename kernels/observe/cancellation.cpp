#include "kernels/observe/cancellation.h"

#include <atomic>
#include <exception>

#include "core/base/check.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {
namespace {

std::atomic<const base::CancelToken*> current{nullptr};

}  // namespace

CancelScope::CancelScope(const base::CancelToken& token) noexcept
    : process_wide_(DryRecording::current() == nullptr) {
  if (!process_wide_) return;
  const base::CancelToken* const before = current.exchange(&token);
  TS_CHECK(before == nullptr);
}

CancelScope::~CancelScope() {
  if (process_wide_) current.store(nullptr);
}

bool is_cancelled() {
  const DryRecording* const dry = DryRecording::current();
  const base::CancelToken* const token =
      dry != nullptr ? &dry->cancel_token() : current.load(std::memory_order_acquire);
  return token != nullptr && token->cancelled();
}

void check_cancelled() {
  if (!is_cancelled()) [[likely]]
    return;
  if (std::uncaught_exceptions() != 0) return;
  if (Recording* const recording = Recording::active()) recording->end_phase_before_unwinding();
  throw Cancelled();
}

}  // namespace ts::kernels
