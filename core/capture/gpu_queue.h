#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  // Adds records that were lost before they reached the queue.
  void add_dropped(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    dropped_ += count;
  }
  // Reports how far the device's clock differed from base::now_ns() in a recording, in either
  // direction.
  void note_drift(std::int64_t ns) {
    const std::lock_guard lock(mutex_);
    if (std::abs(ns) > std::abs(drift_ns_)) drift_ns_ = ns;
  }
  // The largest drift of any recording so far.
  [[nodiscard]] std::int64_t drift_ns() const {
    const std::lock_guard lock(mutex_);
    return drift_ns_;
  }
  // Replaces `out` by all waiting records.
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
  std::int64_t drift_ns_ = 0;
};

}  // namespace ts::capture
