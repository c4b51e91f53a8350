#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"

namespace ts::allocator {

// Runs allocations through the model of PyTorch's allocator and writes down what PyTorch would
// record: segments with their blocks, and a trace with every call to the device. One owner thread.
class SnapshotRecorder {
 public:
  SnapshotRecorder(const AllocatorSettings& settings, const CachingAllocator::Device& limits,
                   std::int64_t device = 0);

  // What an event is recorded with. A stack and notes come from snapshot(); the stream counts for
  // alloc() and oom(), a block and a segment stay on theirs.
  struct Mark {
    std::int64_t time_us = 0;
    std::int64_t stream = 0;
    StackIndex stack = memory::kNone;
    NotesIndex notes = 0;
  };
  // For the texts, stacks and notes of marks, and for annotations.
  [[nodiscard]] Snapshot& snapshot() { return snapshot_; }
  [[nodiscard]] const CachingAllocator& allocator() const { return allocator_; }
  // Notes of the calls to the device that follow.
  void set_segment_notes(NotesIndex notes) { segment_notes_ = notes; }

  // The address; unset when it is out of memory, which is recorded too. bytes > 0.
  std::optional<std::uint64_t> alloc(std::int64_t bytes, const Mark& mark);
  // What alloc() gave. Streams are done with the block at once.
  void free(std::uint64_t address, const Mark& mark);
  void empty_cache(const Mark& mark);
  // The program was refused `bytes` by another allocator, with so many bytes free.
  void oom(std::int64_t bytes, std::int64_t device_free, const Mark& mark);

  // The end: the trace with the segments as they are and the settings.
  Snapshot finish();

 private:
  struct Live {
    std::int64_t bytes = 0;
    std::int64_t stream = 0;
    StackIndex stack = memory::kNone;
  };
  struct Taken {
    std::int64_t stream = 0;
    StackIndex stack = memory::kNone;
  };

  void add(TraceAction action, std::uint64_t address, std::int64_t size, const Mark& mark);
  void add_device_calls(const Mark& mark);
  void add_settings();

  AllocatorSettings settings_;
  CachingAllocator::Device limits_;
  std::int64_t device_ = 0;
  CachingAllocator allocator_;
  Snapshot snapshot_;
  std::vector<TraceEntry> trace_;
  NotesIndex segment_notes_ = 0;
  std::unordered_map<std::uint64_t, Live> live_;
  std::map<std::uint64_t, Taken> taken_;  // what was taken from the device last at an address
};

}  // namespace ts::allocator
