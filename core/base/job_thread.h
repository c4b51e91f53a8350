#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/cancel.h"

namespace ts::base {

// A thread for work of which only the newest request counts: a new request cancels the one in
// progress and replaces the one that waits. Public members may be called from any thread and do not
// wait for the work.
template <class Request>
class JobThread {
 public:
  // The functions that the thread calls. Only `work` must be set.
  struct Calls {
    // Ends soon after its token was cancelled.
    std::function<void(Request&, const CancelToken&)> work;
    // Once each, before and after all others.
    std::function<void()> begin = {}, end = {};
    // A part of other work while no request waits: after wake(), and again while it returns true.
    std::function<bool(const CancelToken&)> idle = {};
    // A request that is over before it began. Called by submit(), cancel() and the destructor, with
    // the lock held.
    std::function<void(const Request&)> dropped = {};
  };

  explicit JobThread(Calls calls) : calls_(std::move(calls)), thread_([this] { main(); }) {}
  // Cancels everything, waits for the thread.
  ~JobThread() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      cancel_all();
    }
    wake_.notify_one();
    thread_.join();
  }
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  enum class InProgress : std::uint8_t { cancel, keep };
  void submit(Request request, InProgress in_progress = InProgress::cancel) {
    {
      const std::lock_guard lock(mutex_);
      drop_waiting();
      if (in_progress == InProgress::cancel) running_.cancel();
      waiting_ = std::move(request);
    }
    wake_.notify_one();
  }
  // The request in progress and the one that waits.
  void cancel() {
    const std::lock_guard lock(mutex_);
    cancel_all();
  }
  // Calls `idle`, anew if it is in progress.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      idle_waits_ = true;
      if (!working_) running_.cancel();
    }
    wake_.notify_one();
  }

  // True while a request waits or is worked on. What `work` wrote before this became false can be
  // read.
  [[nodiscard]] bool busy() const {
    const std::lock_guard lock(mutex_);
    return working_ || waiting_;
  }
  // For `work`: another request waits, or the thread must end.
  [[nodiscard]] bool superseded() const {
    const std::lock_guard lock(mutex_);
    return stopping_ || waiting_;
  }
  // For `work`: waits that long for another request; false if there was none.
  bool superseded_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, time, [this] { return stopping_ || waiting_; });
  }

 private:
  void main() {
    if (calls_.begin) calls_.begin();
    while (do_next()) {
    }
    if (calls_.end) calls_.end();
  }

  // Returns false when the thread must end.
  bool do_next() {
    std::optional<Request> request;
    CancelToken cancel;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || waiting_ || idle_waits_; });
      if (stopping_) return false;
      request = std::exchange(waiting_, std::nullopt);
      working_ = request.has_value();
      if (!working_) idle_waits_ = false;
      running_ = cancel;
    }
    bool more = false;
    if (request) {
      calls_.work(*request, cancel);
      request.reset();
    } else {
      more = calls_.idle(cancel);
    }
    const std::lock_guard lock(mutex_);
    working_ = false;
    idle_waits_ = idle_waits_ || more;
    return true;
  }

  void cancel_all() {
    running_.cancel();
    drop_waiting();
  }

  void drop_waiting() {
    if (waiting_ && calls_.dropped) calls_.dropped(*waiting_);
    waiting_.reset();
  }

  const Calls calls_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::optional<Request> waiting_;
  CancelToken running_;  // of the work or the idle part that began last
  bool working_ = false;
  bool idle_waits_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace ts::base
