#pragma once

#include <atomic>
#include <memory>

namespace ts::base {

// A flag shared between the requester of some work and its worker. Copies share the flag. Any
// thread may cancel or check it; a cancel cannot be undone.
class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const noexcept { flag_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace ts::base
