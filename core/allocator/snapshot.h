#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/base/huge_page_allocator.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/memory/block.h"
#include "core/memory/interner.h"

// A memory snapshot as torch.cuda.memory._dump_snapshot() and
// torch::cuda::_memory_snapshot_pickled() write it, field by field, with PyTorch's names. Plain
// values that the owner may change; not thread safe. Fields missing in a file are kNoString, kNone
// or unset. 32 bytes an event.
namespace ts::allocator {

// One line of a stack. The fx_ fields come from PyTorch's FX augmentation only.
struct Frame {
  base::StringId name = base::kNoString;
  base::StringId filename = base::kNoString;
  std::int64_t line = 0;
  base::StringId fx_node_op = base::kNoString;
  base::StringId fx_node_name = base::kNoString;
  base::StringId fx_node_target = base::kNoString;
  base::StringId fx_original_trace = base::kNoString;
  friend bool operator==(const Frame&, const Frame&) = default;
  [[nodiscard]] std::size_t hash() const;
};

using FrameIndex = std::uint32_t;
using StackIndex = std::uint32_t;  // kNone: no stack was captured

// Frames and stacks, each kept once. A stack begins with its innermost frame.
class StackTable {
 public:
  FrameIndex add_frame(const Frame& frame) { return frames_.add(frame); }
  StackIndex add_stack(std::span<const FrameIndex> frames);

  [[nodiscard]] const Frame& frame(FrameIndex index) const { return frames_[index]; }
  [[nodiscard]] std::span<const FrameIndex> stack(StackIndex index) const;
  [[nodiscard]] std::size_t frame_count() const { return frames_.size(); }
  [[nodiscard]] std::size_t stack_count() const { return stack_ends_.size(); }

 private:
  memory::Interner<Frame> frames_;
  std::vector<FrameIndex> stack_frames_;  // of all stacks, one after another
  std::vector<std::size_t> stack_ends_;
  std::unordered_multimap<std::size_t, StackIndex> stacks_by_hash_;
};

// {0, 0} is the default pool; all other ids are private pools (CUDA graphs, MemPool).
struct PoolId {
  std::int64_t first = 0;
  std::int64_t second = 0;
  friend auto operator<=>(const PoolId&, const PoolId&) = default;
};

enum class BlockState : std::uint8_t { active_allocated, active_pending_free, inactive };

// PyTorch 2.0 and earlier: an allocation that was at the place of a block.
struct PastAllocation {
  std::optional<std::uint64_t> address = {};
  std::optional<std::int64_t> requested = {};  // bytes asked for
  StackIndex stack = memory::kNone;
};
using PastAllocations = std::vector<PastAllocation>;  // the newest first
using HistoryIndex = std::uint32_t;                   // kNone: the file has none

struct SnapshotBlock {
  std::uint64_t address = 0;
  std::int64_t size = 0;       // rounded, bytes
  std::int64_t requested = 0;  // bytes asked for
  StackIndex stack = memory::kNone;
  BlockState state = BlockState::inactive;
  // In Snapshot::histories. The newest allocation there has the stack of a block in use.
  HistoryIndex history = memory::kNone;
};

// One cudaMalloc, or one contiguous mapped range of an expandable segment. Sizes in bytes.
struct SnapshotSegment {
  std::int64_t device = 0;
  std::uint64_t address = 0;
  std::int64_t total_size = 0;
  std::int64_t allocated_size = 0;
  std::int64_t active_size = 0;
  std::int64_t requested_size = 0;
  std::int64_t stream = 0;
  PoolId pool;
  StackIndex stack = memory::kNone;
  bool small_pool = false;
  bool expandable = false;
  std::vector<SnapshotBlock> blocks;
};

enum class TraceAction : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  other,  // an action of a later PyTorch; its name is in EntryNotes::other_action
};
inline constexpr int kTraceActionCount = 10;
// The name in files; empty for other.
std::string_view to_string(TraceAction action);

// A user's note that is a dictionary, in its order.
struct MetadataDict {
  using Value = std::variant<std::monostate, bool, std::int64_t, double, base::StringId>;
  std::vector<std::pair<base::StringId, Value>> entries = {};
  friend bool operator==(const MetadataDict&, const MetadataDict&) = default;
  [[nodiscard]] std::size_t hash() const;
};

// Fields that many entries have in common, stored once per distinct combination.
struct EntryNotes {
  std::int64_t stream = 0;
  base::StringId compile_context = base::kNoString;
  base::StringId user_metadata = base::kNoString;  // of a dictionary: "key: value, key: value"
  base::StringId category = base::kNoString;       // memory_viz colours by it
  base::StringId other_action = base::kNoString;
  StackIndex forward_frames = memory::kNone;  // frames with a name only
  std::optional<PoolId> pool = {};            // PyTorch 2.12 and later
  // The address of an oom that has one beside device_free.
  std::optional<std::uint64_t> oom_address = {};
  // In Snapshot::metadata, where the user's note is a dictionary; else kNone.
  std::uint32_t metadata = memory::kNone;
  friend bool operator==(const EntryNotes&, const EntryNotes&) = default;
  [[nodiscard]] std::size_t hash() const;
};
using NotesIndex = std::uint32_t;  // at most kMostNotes
inline constexpr unsigned kNotesBits = 28;
inline constexpr NotesIndex kMostNotes = (NotesIndex{1} << kNotesBits) - 1;

// 32 bytes: a file has millions, and the first touch of new memory is a large part of reading it.
struct TraceEntry {
  std::uint64_t address = 0;  // for oom the bytes the device has free
  std::int64_t size = 0;      // bytes asked for, not the rounded ones
  std::int64_t time_us = 0;   // Unix
  StackIndex stack = memory::kNone;
  NotesIndex notes : kNotesBits = 0;
  TraceAction action : 32 - kNotesBits = TraceAction::alloc;
};
static_assert(sizeof(TraceEntry) == 32);
using Trace = base::HugeVector<TraceEntry>;

struct ExternalAnnotation {
  base::StringId name = base::kNoString;
  base::StringId stage = base::kNoString;  // START or END
  std::int64_t device = 0;
  std::int64_t time_us = 0;
};

// One entry of allocator_settings, in the order of the file.
struct SnapshotSetting {
  using Divisions = std::vector<std::pair<base::StringId, std::int64_t>>;
  base::StringId name = base::kNoString;
  std::variant<bool, std::int64_t, double, base::StringId, Divisions> value;
};

// The fields that files of older versions of PyTorch do not have. A snapshot that is made here has
// all of them; one that is read has those of its file, and is written with no others.
struct SnapshotLayout {
  bool allocator_settings = true;
  bool external_annotations = true;
  bool requested_size = true;
  bool segment_pool_id = true;
  bool is_expandable = true;
  bool time_us = true;
  bool compile_context = true;
  bool user_metadata = true;
  bool block_address = true;
  friend bool operator==(const SnapshotLayout&, const SnapshotLayout&) = default;
};

struct Snapshot {
  std::shared_ptr<base::StringTable> strings = std::make_shared<base::StringTable>();
  StackTable stacks;
  memory::Interner<EntryNotes> notes;
  memory::Interner<MetadataDict> metadata;
  std::vector<PastAllocations> histories;
  std::vector<SnapshotSegment> segments;
  std::vector<Trace> device_traces;  // by device
  std::vector<ExternalAnnotation> external_annotations;
  std::vector<SnapshotSetting> allocator_settings;
  SnapshotLayout layout;

  [[nodiscard]] std::size_t entry_count() const;
  [[nodiscard]] std::string_view text(base::StringId id) const { return strings->view(id); }
  [[nodiscard]] std::string_view action_name(const TraceEntry& entry) const;
  [[nodiscard]] std::int64_t stream_of(const TraceEntry& entry) const {
    return notes[entry.notes].stream;
  }
};

// Finds the pool of an event of a device: the one it tells, else that of a segment there.
class PrivatePools {
 public:
  PrivatePools(const Snapshot& snapshot, std::size_t device);
  [[nodiscard]] PoolId of(const TraceEntry& entry) const;
  [[nodiscard]] bool holds(const TraceEntry& entry) const { return of(entry) != PoolId{}; }

 private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    PoolId pool;
  };
  const Snapshot& snapshot_;
  std::vector<Range> ranges_;  // by address
};

// The same notes with another stream.
NotesIndex with_stream(Snapshot& snapshot, NotesIndex notes, std::int64_t stream);

// A setting of the file. It marks a snapshot whose segments and addresses come from our model,
// because the run's own allocator has none.
inline constexpr const char* kModelledSegments = "tensorscope_modelled_segments";
bool has_modelled_segments(const Snapshot& snapshot);

// The settings that the snapshot was recorded with: its fields, and PYTORCH_CUDA_ALLOC_CONF for
// settings that the fields do not contain. A snapshot without settings has the defaults.
base::Result<AllocatorSettings> recorded_settings(const Snapshot& snapshot);

}  // namespace ts::allocator
