#include "core/allocator/allocator_state.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ts::allocator {
namespace {

class StateConverter {
 public:
  StateConverter(const base::StringTable& strings, std::int64_t unix_offset_ns)
      : strings_(strings), unix_offset_ns_(unix_offset_ns) {
    EntryNotes notes;
    notes.compile_context = text("N/A");  // PyTorch's word for none
    notes_ = snapshot_.notes.add(notes);
  }

  void add(const AllocatorEvent& event) {
    const auto device = static_cast<std::size_t>(std::max(event.device, 0));
    if (snapshot_.device_traces.size() <= device) snapshot_.device_traces.resize(device + 1);
    TraceEntry entry;
    entry.address = event.address;
    entry.size = event.size;
    entry.time_us = (event.time_ns + unix_offset_ns_) / 1000;
    entry.action = event.action;
    entry.notes = with_stream(snapshot_, notes_, event.stream) & kMostNotes;
    entry.stack = stack(event);
    auto& taken = taken_[event.device];
    if (event.action == TraceAction::alloc) live_[event.address] = entry.stack;
    if (event.action == TraceAction::segment_alloc || event.action == TraceAction::segment_map)
      taken.try_emplace(event.address, entry.stack);
    if (event.action == TraceAction::segment_free) taken.erase(event.address);
    snapshot_.device_traces[device].push_back(entry);
  }

  Snapshot finish(AllocatorState&& state) {
    for (SnapshotSegment& segment : state.segments) {
      segment.stack = stack_of(taken_[static_cast<std::int32_t>(segment.device)], segment.address);
      for (SnapshotBlock& block : segment.blocks) {
        const auto live = live_.find(block.address);
        if (block.state != BlockState::inactive && live != live_.end()) block.stack = live->second;
      }
      const auto device = static_cast<std::size_t>(std::max<std::int64_t>(segment.device, 0));
      if (snapshot_.device_traces.size() <= device) snapshot_.device_traces.resize(device + 1);
      snapshot_.segments.push_back(std::move(segment));
    }
    add_settings(state);
    return std::move(snapshot_);
  }

 private:
  using Taken = std::map<std::uint64_t, StackIndex>;

  static StackIndex stack_of(const Taken& taken, std::uint64_t address) {
    const auto found = taken.find(address);
    return found != taken.end() ? found->second : memory::kNone;
  }

  base::StringId text(std::string_view words) { return snapshot_.strings->intern(words); }

  FrameIndex frame(std::string_view name, std::string_view file) {
    Frame made;
    made.name = text(name);
    made.filename = text(file);
    return snapshot_.stacks.add_frame(made);
  }

  StackIndex stack(const AllocatorEvent& event) {
    if (event.op == base::kNoString && event.module == base::kNoString) return memory::kNone;
    const auto [known, fresh] =
        stacks_.try_emplace(std::pair(event.op, event.module), memory::kNone);
    if (!fresh) return known->second;
    std::vector<FrameIndex> frames;
    if (event.op != base::kNoString) frames.push_back(frame(strings_.view(event.op), "operator"));
    for (std::string_view path = strings_.view(event.module); !path.empty();) {
      frames.push_back(frame(path, "module"));
      const auto dot = path.rfind('.');
      path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
    }
    return known->second = snapshot_.stacks.add_stack(frames);
  }

  void add_settings(const AllocatorState& state) {
    const auto add_one = [this](const char* name) -> auto& {
      SnapshotSetting& setting = snapshot_.allocator_settings.emplace_back();
      setting.name = text(name);
      return setting.value;
    };
    add_one("PYTORCH_CUDA_ALLOC_CONF") = text(state.conf);
    add_one("max_split_size") = state.max_split_size;
    add_one("garbage_collection_threshold") = state.garbage_collection_threshold;
    add_one("expandable_segments") = state.expandable_segments;
    // PyTorch 2.11 writes these too; they change neither sizes nor places, and are at their
    // defaults.
    add_one("pinned_num_register_threads") = std::int64_t{1};
    for (const char* const name : {"release_lock_on_cudamalloc", "pinned_use_cuda_host_register",
                                   "graph_capture_record_stream_reuse"})
      add_one(name) = false;
    SnapshotSetting::Divisions divisions;
    for (std::size_t step = 0; step < state.roundup_power2_divisions.size(); ++step) {
      divisions.emplace_back(text(std::to_string(std::uint64_t{1} << step)),
                             state.roundup_power2_divisions[step]);
    }
    add_one("roundup_power2_divisions") = std::move(divisions);
  }

  const base::StringTable& strings_;
  const std::int64_t unix_offset_ns_;
  Snapshot snapshot_;
  NotesIndex notes_ = 0;
  std::map<std::pair<base::StringId, base::StringId>, StackIndex> stacks_;
  std::unordered_map<std::uint64_t, StackIndex> live_;  // by address; the last allocation there
  std::map<std::int32_t, Taken> taken_;                 // segments by device
};

}  // namespace

Snapshot snapshot_of(std::span<const AllocatorEvent> events, AllocatorState state,
                     const base::StringTable& strings, std::int64_t unix_offset_ns) {
  StateConverter converter(strings, unix_offset_ns);
  for (const AllocatorEvent& event : events) converter.add(event);
  return converter.finish(std::move(state));
}

}  // namespace ts::allocator
