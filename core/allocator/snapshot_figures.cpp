#include "core/allocator/snapshot_figures.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace ts::allocator {
namespace {

// Adds sizes from a file; wraps on overflow, where the plain sum would be undefined.
void add(std::int64_t& sum, std::int64_t bytes) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(bytes));
}
void take(std::int64_t& sum, std::int64_t bytes) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) -
                                  static_cast<std::uint64_t>(bytes));
}

std::span<const TraceEntry> trace_of(const Snapshot& snapshot, std::size_t device) {
  if (device >= snapshot.device_traces.size()) return {};
  return snapshot.device_traces[device];
}

}  // namespace

std::vector<EarlierBlock> earlier_blocks(const Snapshot& snapshot, std::size_t device) {
  std::vector<EarlierBlock> blocks;
  memory::AddressMap<StackIndex> live;
  memory::AddressMap<bool> earlier;
  std::int64_t same_stacks = 0;
  const auto add_once = [&](const EarlierBlock& block) {
    if (!earlier.exchange(block.address, true)) blocks.push_back(block);
  };
  for (const TraceEntry& entry : trace_of(snapshot, device)) {
    if (entry.action == TraceAction::alloc) {
      live[entry.address] = entry.stack;
    } else if (entry.action == TraceAction::free_completed) {
      if (const auto stack = live.take(entry.address)) {
        if (*stack != memory::kNone) same_stacks += *stack == entry.stack ? 1 : -1;
      } else {
        add_once({entry.address, entry.size, memory::kNone, entry.stack});
      }
    }
  }
  // If recorded with a context other than "all", a free has the stack of its allocation.
  if (same_stacks > 0) {
    for (EarlierBlock& block : blocks) std::swap(block.stack, block.freed);
  }
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != static_cast<std::int64_t>(device)) continue;
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive || live.find(block.address) != nullptr) continue;
      add_once({block.address, block.requested > 0 ? block.requested : block.size, block.stack,
                memory::kNone});
    }
  }
  std::ranges::sort(blocks, {}, &EarlierBlock::address);
  return blocks;
}

PeakAndEnd reserved_bytes(const Snapshot& snapshot, std::size_t device) {
  std::int64_t reserved = 0;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device == static_cast<std::int64_t>(device)) add(reserved, segment.total_size);
  }
  PeakAndEnd result{reserved, reserved};
  const auto trace = trace_of(snapshot, device);
  for (auto entry = trace.rbegin(); entry != trace.rend(); ++entry) {
    if (entry->action == TraceAction::segment_alloc || entry->action == TraceAction::segment_map) {
      take(reserved, entry->size);
    } else if (entry->action == TraceAction::segment_free ||
               entry->action == TraceAction::segment_unmap) {
      add(reserved, entry->size);
    }
    result.peak = std::max(result.peak, reserved);
  }
  return result;
}

RequestedBytes::RequestedBytes(const Snapshot& snapshot, std::size_t device) {
  for (const EarlierBlock& block : earlier_blocks(snapshot, device))
    begin(block.address, block.size);
}

void RequestedBytes::begin(std::uint64_t address, std::int64_t bytes) {
  if (const auto before = live_.exchange(address, bytes)) take(now_, *before);
  add(now_, bytes);
  peak_ = std::max(peak_, now_);
}

void RequestedBytes::end(std::uint64_t address) {
  if (const auto bytes = live_.take(address)) take(now_, *bytes);
}

PeakAndEnd allocated_bytes(const Snapshot& snapshot, std::size_t device) {
  RequestedBytes requested(snapshot, device);
  for (const TraceEntry& entry : trace_of(snapshot, device)) {
    if (entry.action == TraceAction::alloc) requested.begin(entry.address, entry.size);
    if (entry.action == TraceAction::free_completed) requested.end(entry.address);
  }
  return {requested.peak(), requested.now()};
}

bool has_times(const Snapshot& snapshot) {
  std::optional<std::int64_t> first;
  for (const auto& trace : snapshot.device_traces) {
    if (trace.empty()) continue;
    if (!first) first = trace.front().time_us;
    if (trace.front().time_us != *first || trace.back().time_us != *first) return true;
  }
  return false;
}

std::vector<std::size_t> devices_of(const Snapshot& snapshot) {
  std::set<std::size_t> numbers;
  for (std::size_t i = 0; i < snapshot.device_traces.size(); ++i) {
    if (!snapshot.device_traces[i].empty()) numbers.insert(i);
  }
  constexpr std::int64_t kMostDevices = 4096;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device >= 0 && segment.device < kMostDevices) {
      numbers.insert(static_cast<std::size_t>(segment.device));
    }
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace ts::allocator
