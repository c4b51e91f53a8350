#pragma once

#include <atomic>
#include <cstdint>

namespace ts::base {

// How far a long task is, and whether it is to end early. One thread works and tells; any thread
// may ask and cancel.
class Progress {
 public:
  // Starts the next part of the task: from the end of the part before up to `end`, from 0 to 1.
  void part(float end) {
    begin_ = end_;
    end_ = end;
    share_ = begin_;
  }
  // So much of the part is done. False: the task is to end.
  bool reach(std::uint64_t done, std::uint64_t all) {
    const float share = all == 0 ? 1 : static_cast<float>(done) / static_cast<float>(all);
    share_ = begin_ + (end_ - begin_) * share;
    return !cancelled_;
  }
  void cancel() { cancelled_ = true; }

  [[nodiscard]] float share() const { return share_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  float begin_ = 0;  // of the part
  float end_ = 0;
  std::atomic<float> share_ = 0;
  std::atomic<bool> cancelled_ = false;
};

// For tasks that nobody may follow: null goes on.
inline bool goes_on(Progress* progress, std::uint64_t done, std::uint64_t all) {
  return progress == nullptr || progress->reach(done, all);
}

}  // namespace ts::base
