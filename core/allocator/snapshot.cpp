#include "core/allocator/snapshot.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <functional>
#include <string>

#include "core/base/check.h"
#include "core/base/phase.h"
#include "core/text/message.h"

namespace ts::allocator {
namespace {

// Order as in TraceAction.
constexpr std::array<std::string_view, kTraceActionCount> kActionNames = {
    "alloc",       "free_requested", "free_completed", "segment_alloc", "segment_free",
    "segment_map", "segment_unmap",  "snapshot",       "oom",           ""};

template <class T>
const T* value_of(const Snapshot& snapshot, std::string_view name) {
  for (const SnapshotSetting& setting : snapshot.allocator_settings) {
    if (snapshot.text(setting.name) == name) return std::get_if<T>(&setting.value);
  }
  return nullptr;
}

base::Result<void> take_divisions(const Snapshot& snapshot,
                                  const SnapshotSetting::Divisions& divisions,
                                  AllocatorSettings& settings) {
  settings.roundup_power2_divisions.fill(0);
  for (const auto& [key, count] : divisions) {
    // Each step's name is its size in MiB: 1, 2, 4, ...
    const std::string_view text = snapshot.text(key);
    std::uint64_t megabytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
    const auto step = static_cast<std::size_t>(std::bit_width(megabytes)) - 1;
    if (error != std::errc() || end != text.data() + text.size() ||
        !std::has_single_bit(megabytes) || step >= AllocatorSettings::kDivisionSteps) {
      return text::fail("replay_error.division", {{"value", std::string(text)}});
    }
    constexpr std::int64_t kMostDivisions = std::int64_t{1} << 20;
    if (count < 0 || count > kMostDivisions ||
        (count > 0 && !std::has_single_bit(static_cast<std::uint64_t>(count)))) {
      return text::fail("replay_error.divisions", {{"count", std::to_string(count)}});
    }
    settings.roundup_power2_divisions[step] = count;
  }
  return {};
}

}  // namespace

std::size_t Frame::hash() const {
  std::size_t hash = memory::mix_hash(name, filename);
  hash = memory::mix_hash(hash, static_cast<std::uint64_t>(line));
  hash = memory::mix_hash(hash, (std::uint64_t{fx_node_op} << 32U) | fx_node_name);
  return memory::mix_hash(hash, (std::uint64_t{fx_node_target} << 32U) | fx_original_trace);
}

std::size_t MetadataDict::hash() const {
  std::size_t hash = entries.size();
  for (const auto& [name, value] : entries)
    hash = memory::mix_hash(memory::mix_hash(hash, name), std::hash<Value>{}(value));
  return hash;
}

std::size_t EntryNotes::hash() const {
  std::size_t hash = memory::mix_hash(compile_context, user_metadata);
  hash = memory::mix_hash(hash, metadata);
  hash = memory::mix_hash(hash, (std::uint64_t{category} << 32U) | other_action);
  hash = memory::mix_hash(hash, forward_frames);
  hash = memory::mix_hash(hash, static_cast<std::uint64_t>(stream));
  if (oom_address) hash = memory::mix_hash(hash, *oom_address);
  if (!pool) return hash;
  return memory::mix_hash(memory::mix_hash(hash, static_cast<std::uint64_t>(pool->first)),
                          static_cast<std::uint64_t>(pool->second));
}

StackIndex StackTable::add_stack(std::span<const FrameIndex> frames) {
  std::size_t hash = frames.size();
  for (const FrameIndex frame : frames) hash = memory::mix_hash(hash, frame);
  const auto [begin, end] = stacks_by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (std::ranges::equal(stack(it->second), frames)) return it->second;
  }
  TS_CHECK(stack_ends_.size() < memory::kNone);
  const auto index = static_cast<StackIndex>(stack_ends_.size());
  stack_frames_.insert(stack_frames_.end(), frames.begin(), frames.end());
  stack_ends_.push_back(stack_frames_.size());
  stacks_by_hash_.emplace(hash, index);
  return index;
}

std::span<const FrameIndex> StackTable::stack(StackIndex index) const {
  const std::size_t begin = index == 0 ? 0 : stack_ends_[index - 1];
  return std::span(stack_frames_).subspan(begin, stack_ends_[index] - begin);
}

std::string_view to_string(TraceAction action) {
  return kActionNames[static_cast<std::size_t>(action)];
}

PrivatePools::PrivatePools(const Snapshot& snapshot, std::size_t device) : snapshot_(snapshot) {
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != static_cast<std::int64_t>(device) || segment.pool == PoolId{}) continue;
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(segment.total_size, 0));
    ranges_.push_back({segment.address, segment.address + size, segment.pool});
  }
  std::ranges::sort(ranges_, {}, &Range::begin);
}

PoolId PrivatePools::of(const TraceEntry& entry) const {
  if (const auto& told = snapshot_.notes[entry.notes].pool) return *told;
  const auto after = std::ranges::upper_bound(ranges_, entry.address, {}, &Range::begin);
  const bool inside = after != ranges_.begin() && entry.address < std::prev(after)->end;
  return inside ? std::prev(after)->pool : PoolId{};
}

NotesIndex with_stream(Snapshot& snapshot, NotesIndex notes, std::int64_t stream) {
  EntryNotes changed = snapshot.notes[notes];
  if (changed.stream == stream) return notes;
  changed.stream = stream;
  return snapshot.notes.add(changed);
}

std::size_t Snapshot::entry_count() const {
  std::size_t count = 0;
  for (const auto& trace : device_traces) count += trace.size();
  return count;
}

std::string_view Snapshot::action_name(const TraceEntry& entry) const {
  return entry.action == TraceAction::other ? text(notes[entry.notes].other_action)
                                            : to_string(entry.action);
}

namespace {

// Stacks that we generate in place of captured ones end with the phase of the step. Stacks of
// recorded allocators have no such frame.
bool has_stack_of_log(const Snapshot& snapshot) {
  const StackTable& stacks = snapshot.stacks;
  for (StackIndex index = 0; index < stacks.stack_count(); ++index) {
    const auto stack = stacks.stack(index);
    if (stack.empty()) continue;
    // All stacks of a snapshot are of one kind: checking the first is enough.
    return std::ranges::any_of(stack, [&](FrameIndex one) {
      const Frame& frame = stacks.frame(one);
      const std::string_view name = snapshot.text(frame.name);
      return snapshot.text(frame.filename) == "phase" &&
             std::ranges::find(base::kPhaseNames, name) != base::kPhaseNames.end();
    });
  }
  return false;
}

}  // namespace

bool has_modelled_segments(const Snapshot& snapshot) {
  if (const auto* modelled = value_of<bool>(snapshot, kModelledSegments)) return *modelled;
  // Earlier versions of the program did not write this setting.
  return has_stack_of_log(snapshot);
}

base::Result<AllocatorSettings> recorded_settings(const Snapshot& snapshot) {
  AllocatorSettings settings;
  if (const auto* conf = value_of<base::StringId>(snapshot, "PYTORCH_CUDA_ALLOC_CONF")) {
    auto parsed = AllocatorSettings::parse(snapshot.text(*conf));
    // An unknown option of a later PyTorch must not hide the fields below.
    const bool fields = value_of<std::int64_t>(snapshot, "max_split_size") != nullptr;
    if (!parsed && !fields) return parsed;
    if (parsed) settings = *parsed;
  }
  if (const auto* size = value_of<std::int64_t>(snapshot, "max_split_size")) {
    settings.max_split_size = *size < 0 ? AllocatorSettings::kUnlimited : *size;
  }
  if (const auto* threshold = value_of<double>(snapshot, "garbage_collection_threshold")) {
    settings.garbage_collection_threshold = *threshold;
  }
  if (const auto* on = value_of<bool>(snapshot, "expandable_segments")) {
    settings.expandable_segments = *on;
  }
  if (const auto* divisions =
          value_of<SnapshotSetting::Divisions>(snapshot, "roundup_power2_divisions")) {
    TS_TRY_DONE(take_divisions(snapshot, *divisions, settings));
  }
  return settings;
}

}  // namespace ts::allocator
