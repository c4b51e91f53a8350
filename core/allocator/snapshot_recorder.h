#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"

namespace ts::allocator {

// Runs allocations through the model of PyTorch's allocator and records them like PyTorch: segments
// with their blocks, and a trace with every call to the device. One owner thread.
class SnapshotRecorder {
 public:
  SnapshotRecorder(const AllocatorSettings& settings, const CachingAllocator::Device& limits,
                   std::int64_t device = 0);

  // The data recorded with an event. A stack and notes come from snapshot(); the stream is used for
  // alloc() and oom(); a block and a segment stay on theirs.
  struct Mark {
    std::int64_t time_us = 0;
    std::int64_t stream = 0;
    StackIndex stack = memory::kNone;
    NotesIndex notes = 0;
  };
  // For adding the texts, stacks and notes of marks, and annotations.
  [[nodiscard]] Snapshot& snapshot() { return snapshot_; }
  [[nodiscard]] const CachingAllocator& allocator() const { return allocator_; }
  // Sets the notes of all following calls to the device.
  void set_segment_notes(NotesIndex notes) { segment_notes_ = notes; }

  // Returns the address; unset when out of memory, which is recorded too. bytes > 0.
  std::optional<std::uint64_t> alloc(std::int64_t bytes, const Mark& mark);
  // Frees an address that alloc() returned. Streams are done with the block at once.
  void free(std::uint64_t address, const Mark& mark);
  void empty_cache(const Mark& mark);
  // Records that another allocator refused `bytes` to the program, with this many bytes free.
  void oom(std::int64_t bytes, std::int64_t device_free, const Mark& mark);

  // Ends the recording: the trace with the final segments and the settings.
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
  Trace trace_;
  NotesIndex segment_notes_ = 0;
  std::unordered_map<std::uint64_t, Live> live_;
  std::map<std::uint64_t, Taken> taken_;  // by address: the last memory taken from the device there
};

}  // namespace ts::allocator
