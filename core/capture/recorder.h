#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/spsc_ring.h"
#include "core/base/string_table.h"
#include "core/capture/gpu_queue.h"
#include "core/capture/raw_record.h"
#include "core/trace/trace_store.h"

namespace ts::capture {

// One recorded thread: its ring and its name. Written by that thread only, read by the collector.
struct ThreadLog {
  ThreadLog(trace::TrackKind track_kind, std::string thread_name, std::size_t capacity)
      : kind(track_kind), name(std::move(thread_name)), ring(capacity) {}
  const trace::TrackKind kind;
  const std::string name;
  base::SpscRing<RawRecord> ring;
};

// Where producers put records: a ring per thread. The engine's hooks hold a Recorder while a
// recorded step runs; the collector drains it. Rings are created once per thread and kept.
class Recorder {
 public:
  explicit Recorder(base::StringTable& strings, std::size_t ring_records = 1U << 16)
      : strings_(&strings), ring_records_(ring_records) {}

  // Any thread; locks, so a thread calls it once and keeps the pointer. Valid as long as the
  // Recorder.
  ThreadLog* add_thread(trace::TrackKind kind, std::string name) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(std::make_unique<ThreadLog>(kind, std::move(name), ring_records_));
    return threads_.back().get();
  }

  // Collector: pointers to all threads so far, in the order of creation.
  [[nodiscard]] std::vector<ThreadLog*> threads() {
    const std::lock_guard lock(mutex_);
    std::vector<ThreadLog*> out;
    out.reserve(threads_.size());
    for (auto& thread : threads_) out.push_back(thread.get());
    return out;
  }

  [[nodiscard]] base::StringTable& strings() noexcept { return *strings_; }
  // Queue for the records of a GPU.
  [[nodiscard]] GpuQueue& gpu() noexcept { return gpu_; }

  [[nodiscard]] std::uint64_t dropped() {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = gpu_.dropped();
    for (auto& thread : threads_) sum += thread->ring.dropped();
    return sum;
  }

 private:
  base::StringTable* strings_;
  std::size_t ring_records_;
  GpuQueue gpu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadLog>> threads_;
};

}  // namespace ts::capture
