#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "core/capture/gpu_record.h"

namespace ts::capture {

// GPU records on their way to the collector. At most kMost wait; more are counted as dropped. Any
// thread.
class GpuQueue {
 public:
  static constexpr std::size_t kMost = 1U << 20U;

  void push(std::span<const GpuRecord> records) {
    const std::lock_guard lock(mutex_);
    const std::size_t room = kMost - std::min(kMost, records_.size());
    const std::size_t taken = std::min(room, records.size());
    records_.insert(records_.end(), records.begin(),
                    records.begin() + static_cast<std::ptrdiff_t>(taken));
    dropped_ += records.size() - taken;
  }
  // Records that were lost before they came here.
  void add_dropped(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    dropped_ += count;
  }
  // Replaces `out` by all that wait.
  void take(std::vector<GpuRecord>& out) {
    out.clear();
    const std::lock_guard lock(mutex_);
    out.swap(records_);
  }
  [[nodiscard]] std::uint64_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<GpuRecord> records_;
  std::uint64_t dropped_ = 0;
};

}  // namespace ts::capture
