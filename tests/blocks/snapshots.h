#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/allocator/log_of_snapshot.h"
#include "core/blocks/block_source.h"

// Snapshots of a few events, made by hand.
namespace ts::blocks::testing {

inline constexpr std::int64_t kMiB = 1 << 20;

// (function, file, line), innermost first.
struct Line {
  const char* function;
  const char* file;
  std::int64_t line;
};

class MadeSnapshot {
 public:
  MadeSnapshot() {
    snapshot_.notes.add({});
    snapshot_.device_traces.resize(1);
  }

  allocator::StackIndex stack(const std::vector<Line>& lines) {
    std::vector<allocator::FrameIndex> frames;
    for (const Line& line : lines) {
      allocator::Frame frame;
      frame.name = snapshot_.strings->intern(line.function);
      frame.filename = snapshot_.strings->intern(line.file);
      frame.line = line.line;
      frames.push_back(snapshot_.stacks.add_frame(frame));
    }
    return snapshot_.stacks.add_stack(frames);
  }
  // An event a microsecond after the one before.
  allocator::TraceEntry& event(allocator::TraceAction action, std::uint64_t address,
                               std::int64_t size, allocator::StackIndex stack = memory::kNone) {
    auto& trace = snapshot_.device_traces[0];
    allocator::TraceEntry entry;
    entry.action = action;
    entry.address = address;
    entry.size = size;
    entry.stack = stack;
    entry.time_us = 1'000 + static_cast<std::int64_t>(trace.size());
    trace.push_back(entry);
    return trace.back();
  }
  allocator::TraceEntry& alloc(std::uint64_t address, std::int64_t size,
                               allocator::StackIndex stack = memory::kNone) {
    return event(allocator::TraceAction::alloc, address, size, stack);
  }
  void free(std::uint64_t address, std::int64_t size) {
    event(allocator::TraceAction::free_requested, address, size);
    event(allocator::TraceAction::free_completed, address, size);
  }

  [[nodiscard]] allocator::Snapshot& snapshot() { return snapshot_; }
  // The blocks of what was added so far. Valid until the next call.
  BlockSource blocks() {
    log_ = allocator::log_of_snapshot(snapshot_, 0);
    return source_of(snapshot_, 0, log_);
  }

 private:
  allocator::Snapshot snapshot_;
  allocator::SnapshotLog log_;
};

}  // namespace ts::blocks::testing
