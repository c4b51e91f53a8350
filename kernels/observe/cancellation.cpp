#include "kernels/observe/cancellation.h"

#include <atomic>
#include <exception>

#include "core/base/check.h"

namespace ts::kernels {
namespace {

std::atomic<const base::CancelToken*> current{nullptr};

}  // namespace

CancelScope::CancelScope(const base::CancelToken& token) noexcept {
  const base::CancelToken* const before = current.exchange(&token);
  TS_CHECK(before == nullptr);
}

CancelScope::~CancelScope() {
  current.store(nullptr);
}

void check_cancelled() {
  const base::CancelToken* const token = current.load(std::memory_order_acquire);
  if (token == nullptr || !token->cancelled()) [[likely]]
    return;
  if (std::uncaught_exceptions() == 0) throw Cancelled();
}

}  // namespace ts::kernels
