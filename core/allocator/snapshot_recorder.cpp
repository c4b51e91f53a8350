#include "core/allocator/snapshot_recorder.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/check.h"

namespace ts::allocator {
namespace {

TraceAction trace_action(SegmentAction action) {
  switch (action) {
    case SegmentAction::segment_alloc:
      return TraceAction::segment_alloc;
    case SegmentAction::segment_free:
      return TraceAction::segment_free;
    case SegmentAction::segment_map:
      return TraceAction::segment_map;
    case SegmentAction::segment_unmap:
      break;
  }
  return TraceAction::segment_unmap;
}

}  // namespace

SnapshotRecorder::SnapshotRecorder(const AllocatorSettings& settings,
                                   const CachingAllocator::Device& limits, std::int64_t device)
    : settings_(settings), limits_(limits), device_(device), allocator_(settings, limits) {
  TS_CHECK(device >= 0);
  segment_notes_ = snapshot_.notes.add({});
}

void SnapshotRecorder::add(TraceAction action, std::uint64_t address, std::int64_t size,
                           const Mark& mark) {
  TraceEntry& entry = trace_.emplace_back();
  entry.address = address;
  entry.size = size;
  entry.time_us = mark.time_us;
  entry.stack = mark.stack;
  entry.notes = with_stream(snapshot_, mark.notes, mark.stream) & kMostNotes;
  entry.action = action;
}

void SnapshotRecorder::add_device_calls(const Mark& mark) {
  Mark call = mark;
  call.notes = segment_notes_;
  for (const SegmentEvent& event : allocator_.take_events()) {
    const TraceAction action = trace_action(event.action);
    if (action == TraceAction::segment_alloc || action == TraceAction::segment_map) {
      taken_[event.address] = {mark.stream, mark.stack};
    }
    // Released memory may be a part of one larger allocation from the device.
    call.stream = std::prev(taken_.upper_bound(event.address))->second.stream;
    add(action, event.address, event.size, call);
  }
}

std::optional<std::uint64_t> SnapshotRecorder::alloc(std::int64_t bytes, const Mark& mark) {
  const auto address = allocator_.allocate(bytes, mark.stream);
  add_device_calls(mark);
  if (!address) {
    oom(settings_.round_size(bytes), limits_.capacity - allocator_.stats().reserved, mark);
    return std::nullopt;
  }
  live_[*address] = {bytes, mark.stream, mark.stack};
  add(TraceAction::alloc, *address, bytes, mark);
  return address;
}

void SnapshotRecorder::free(std::uint64_t address, const Mark& mark) {
  const auto found = live_.find(address);
  TS_CHECK(found != live_.end());
  const std::int64_t bytes = found->second.bytes;
  Mark call = mark;
  call.stream = found->second.stream;
  live_.erase(found);
  allocator_.free(address);
  add(TraceAction::free_requested, address, bytes, call);
  add(TraceAction::free_completed, address, bytes, call);
}

void SnapshotRecorder::empty_cache(const Mark& mark) {
  allocator_.empty_cache();
  add_device_calls(mark);
}

void SnapshotRecorder::oom(std::int64_t bytes, std::int64_t device_free, const Mark& mark) {
  const auto free = static_cast<std::uint64_t>(std::max<std::int64_t>(device_free, 0));
  add(TraceAction::oom, free, bytes, mark);
}

void SnapshotRecorder::add_settings() {
  const auto add = [this](const char* name) -> auto& {
    SnapshotSetting& setting = snapshot_.allocator_settings.emplace_back();
    setting.name = snapshot_.strings->intern(name);
    return setting.value;
  };
  const bool unlimited = settings_.max_split_size == AllocatorSettings::kUnlimited;
  add("PYTORCH_CUDA_ALLOC_CONF") = snapshot_.strings->intern(settings_.to_string());
  add("max_split_size") = unlimited ? std::int64_t{-1} : settings_.max_split_size;
  add("garbage_collection_threshold") = settings_.garbage_collection_threshold;
  add("expandable_segments") = settings_.expandable_segments;
  SnapshotSetting::Divisions divisions;
  for (std::size_t step = 0; step < settings_.roundup_power2_divisions.size(); ++step) {
    divisions.emplace_back(snapshot_.strings->intern(std::to_string(1U << step)),
                           settings_.roundup_power2_divisions[step]);
  }
  add("roundup_power2_divisions") = std::move(divisions);
}

Snapshot SnapshotRecorder::finish() {
  for (const SegmentView& view : allocator_.segments()) {
    SnapshotSegment& segment = snapshot_.segments.emplace_back();
    segment.device = device_;
    segment.address = view.address;
    segment.total_size = view.size;
    segment.stream = view.stream;
    segment.small_pool = view.small_pool;
    segment.expandable = view.expandable;
    segment.stack = std::prev(taken_.upper_bound(view.address))->second.stack;
    for (const auto& part : view.blocks) {
      SnapshotBlock& block = segment.blocks.emplace_back();
      block.address = part.address;
      block.size = part.size;
      block.requested = part.requested;
      if (!part.allocated) continue;
      block.state = BlockState::active_allocated;
      block.stack = live_.at(part.address).stack;
      segment.allocated_size += part.size;
      segment.active_size += part.size;
      segment.requested_size += part.requested;
    }
  }
  snapshot_.device_traces.resize(static_cast<std::size_t>(device_) + 1);
  snapshot_.device_traces.back() = std::move(trace_);
  add_settings();
  return std::move(snapshot_);
}

}  // namespace ts::allocator
