#pragma once

#include <atomic>
#include <memory>

namespace ts::base {

// A flag shared between whoever asks for work and whoever does it. Copies share the flag. Any
// thread may cancel or ask; there is no way back.
class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const noexcept { flag_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace ts::base
