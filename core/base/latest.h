#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace ts::base {

// The newest state of some work, from the thread that does it to those that show it. Any thread.
template <class State>
class Latest {
 public:
  void publish(State state) {
    auto copy = std::make_shared<const State>(std::move(state));
    const std::lock_guard lock(mutex_);
    state_ = std::move(copy);
  }
  // Null before the first.
  [[nodiscard]] std::shared_ptr<const State> get() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const State> state_;
};

}  // namespace ts::base
