#include "kernels/observe/allocator_trace.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "core/base/tick_clock.h"
#include "kernels/observe/device_memory.h"
#include "kernels/observe/recording.h"
#include "kernels/observe/thread_state.h"

namespace ts::kernels {
namespace {

std::atomic<AllocatorTrace*> listening{nullptr};

void hear(const CudaAllocatorEvent& event) {
  if (AllocatorTrace* const trace = listening.load(std::memory_order_acquire)) trace->add(event);
}

// Actions that change the bytes that the allocator holds of the device.
std::optional<memory::Action> segment_action(allocator::TraceAction action) {
  switch (action) {
    case allocator::TraceAction::segment_alloc:
      return memory::Action::segment_alloc;
    case allocator::TraceAction::segment_free:
      return memory::Action::segment_free;
    case allocator::TraceAction::segment_map:
      return memory::Action::segment_map;
    case allocator::TraceAction::segment_unmap:
      return memory::Action::segment_unmap;
    default:
      return std::nullopt;
  }
}

void record(Recording& recording, const CudaAllocatorEvent& event) {
  if (const auto action = segment_action(event.action)) {
    recording.memory(*action, reinterpret_cast<const void*>(event.address), event.size);
  }
  if (recording.place_finder() == nullptr) return;  // device_memory.h has its blocks
  if (event.action == allocator::TraceAction::oom)
    recording.memory(memory::Action::oom, nullptr, event.size);
  if (event.action == allocator::TraceAction::alloc ||
      event.action == allocator::TraceAction::free_requested)
    record_next_report();
}

allocator::SnapshotSegment segment_from(const CudaSegment& from) {
  allocator::SnapshotSegment segment;
  segment.device = from.device;
  segment.address = from.address;
  segment.total_size = from.total_size;
  segment.allocated_size = from.allocated_size;
  segment.active_size = from.active_size;
  segment.requested_size = from.requested_size;
  segment.stream = from.stream;
  segment.pool = {from.pool[0], from.pool[1]};
  segment.small_pool = from.small_pool;
  segment.expandable = from.expandable;
  return segment;
}

const CudaAllocatorVisitor kVisitor = {
    nullptr,
    [](void* user, const CudaSegment& segment) {
      static_cast<allocator::AllocatorState*>(user)->segments.push_back(segment_from(segment));
    },
    [](void* user, const CudaBlock& block) {
      auto& state = *static_cast<allocator::AllocatorState*>(user);
      if (state.segments.empty()) return;
      state.segments.back().blocks.push_back({.address = block.address,
                                              .size = block.size,
                                              .requested = block.requested,
                                              .stack = memory::kNone,
                                              .state = block.state});
    },
    [](void* user, const CudaAllocatorSettings& settings) {
      auto& state = *static_cast<allocator::AllocatorState*>(user);
      state.conf = settings.conf;
      state.max_split_size = settings.max_split_size;
      state.garbage_collection_threshold = settings.garbage_collection_threshold;
      state.expandable_segments = settings.expandable_segments;
      state.roundup_power2_divisions.assign(settings.divisions,
                                            settings.divisions + settings.division_count);
    }};

}  // namespace

AllocatorTrace::AllocatorTrace(const CudaApi& api, Keep keep, std::size_t most)
    : api_(api), keep_(keep), most_(most) {
  listening.store(this, std::memory_order_release);
  api_.on_allocator_event(hear);
}

AllocatorTrace::~AllocatorTrace() {
  AllocatorTrace* mine = this;
  // Another trace may be listening by now.
  if (listening.compare_exchange_strong(mine, nullptr)) api_.on_allocator_event(nullptr);
}

void AllocatorTrace::add(const CudaAllocatorEvent& event) {
  Recording* const recording = Recording::active();
  if (recording == nullptr) return;
  if (recording->takes_card(event.device)) record(*recording, event);
  allocator::AllocatorEvent kept;
  kept.time_ns = base::record_clock.now_in_order();
  kept.address = event.address;
  kept.size = event.size;
  kept.stream = event.stream;
  kept.device = event.device;
  kept.action = event.action;
  if (ThreadState* const state = recording->known_thread(); state != nullptr) {
    if (const Frame* const frame = state->top(); frame != nullptr) {
      kept.op = frame->memory_op;
      kept.module = frame->module;
    }
  }
  const std::lock_guard lock(mutex_);
  if (events_.size() < most_) {
    events_.push_back(kept);
    return;
  }
  ++left_out_;
  if (keep_ == Keep::oldest) return;
  events_[oldest_] = kept;
  oldest_ = (oldest_ + 1) % most_;
}

std::uint64_t AllocatorTrace::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

std::shared_ptr<const allocator::Snapshot> AllocatorTrace::snapshot(
    const base::StringTable& strings) const {
  allocator::AllocatorState state;
  CudaAllocatorVisitor visitor = kVisitor;
  visitor.user = &state;
  // It locks the allocator, and under that lock add() takes ours: never lock in the other order.
  if (api_.visit_allocator(visitor) != nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  std::span<const allocator::AllocatorEvent> events = events_;
  std::vector<allocator::AllocatorEvent> in_order;
  if (oldest_ > 0) {
    std::ranges::rotate_copy(events_, events_.begin() + static_cast<std::ptrdiff_t>(oldest_),
                             std::back_inserter(in_order));
    events = in_order;
  }
  return std::make_shared<allocator::Snapshot>(allocator::snapshot_of(
      events, std::move(state), strings, base::unix_now_ns() - base::now_ns()));
}

}  // namespace ts::kernels
