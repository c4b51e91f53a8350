#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/allocator/log_of_snapshot.h"
#include "core/base/file_range.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/blocks/allocator_history.h"
#include "core/blocks/block_source.h"
#include "core/blocks/growth.h"
#include "core/files/memory_part.h"
#include "core/files/opened_recording.h"
#include "core/files/opened_trace.h"
#include "core/run/run.h"
#include "core/snapshot/snapshot_read.h"

namespace ts::files {

// One device of a snapshot, in the form of a run, for the views of a run.
struct OpenedDevice {
  std::int64_t number = 0;
  run::Run run;                                    // finished; only `memory` and `id` are used
  std::vector<allocator::StackIndex> stacks = {};  // and below: see allocator::SnapshotLog
  std::vector<std::uint32_t> entries = {};
  std::vector<std::uint32_t> event_entries = {};
  std::int64_t blocks_before = 0;
  std::int64_t bytes_before = 0;
  std::int64_t peak_reserved = 0;
  std::int64_t end_reserved = 0;
  std::size_t trace_events = 0;  // of the file; includes segments and requests to free
  std::unordered_map<memory::BlockIndex, allocator::StackIndex> free_stacks = {};
  // The guessed share of the bytes at the peak; unset: the file has the categories.
  std::optional<double> guessed_share = {};
  // By block: the user said what it holds (Corrections); empty: none.
  std::vector<bool> corrected = {};
  MemoryParts parts = {};  // that can be chosen
  MemoryPart part = {};    // what of the device is here
  // By block of a part: its number in the whole device; kNone: it has none.
  std::vector<memory::BlockIndex> in_whole = {};
  // For a view, which moves it: from then on only the thread that draws may look at it. Null: no
  // view was prepared for.
  std::unique_ptr<blocks::AllocatorHistory> history = {};
  // For a view; null: no view was prepared for.
  std::unique_ptr<const blocks::Growth> growth = {};
};

// Other forms of a recording that has ended: the figures of its timeline, and its blocks as a
// snapshot.
struct RecordingForms {
  RecordingFigures figures;
  snapshot::SnapshotFile file;
  OpenedDevice device;
};

// A memory snapshot, a trace or a recording from a file, ready for display. It does not change any
// more, but one of a LiveFile; it may be created on one thread and drawn on another.
struct OpenedFile {
  std::filesystem::path path;
  snapshot::SnapshotFile file;        // its fault: why the file was not read completely
  std::vector<OpenedDevice> devices;  // by number; those with a trace or segments
  // For a trace, which has no devices, and a recording: its one device has the same blocks in the
  // form of a snapshot.
  std::unique_ptr<OpenedTrace> trace;
  bool arrives = false;  // it is the beginning, the rest is being read

  // Which device is shown at first; devices.size() stands for the trace.
  [[nodiscard]] std::size_t first_shown() const { return trace != nullptr ? devices.size() : 0; }
  [[nodiscard]] const OpenedTrace* trace_shown(std::size_t device) const {
    return device >= devices.size() ? trace.get() : nullptr;
  }
  [[nodiscard]] const base::StringTable& strings(std::size_t device = 0) const {
    const OpenedTrace* const shown = trace_shown(device);
    return shown != nullptr ? *shown->about.strings : *file.snapshot.strings;
  }
  // Takes the forms of the recording whose run is here.
  void take(RecordingForms&& forms);
  // The reason why it was not read completely; empty when it was.
  [[nodiscard]] const base::Message& fault() const {
    return trace != nullptr ? trace->about.fault : file.fault;
  }
};

// The snapshot that was read, with its devices, of which there may be none. Null: cancelled.
std::unique_ptr<OpenedFile> opened_snapshot(const std::filesystem::path& path,
                                            snapshot::SnapshotFile&& file,
                                            base::Progress* progress = nullptr);

// A device of a snapshot.
OpenedDevice open_device(const allocator::Snapshot& snapshot, std::int64_t number);

// The share of the bytes at the device's peak whose category was guessed and not corrected.
double guessed_share(const OpenedDevice& device);

// The source of the blocks of one of the file's devices.
blocks::BlockSource blocks_of(const OpenedFile& file, const OpenedDevice& device);

// Makes the histories and the growth of its devices, before it is handed to the thread that draws.
// Any thread.
void prepare_for_view(OpenedFile& file);

// Makes the forms of a run that has ended, prepared for a view. Any thread.
RecordingForms forms_of(const run::Run& run, const std::shared_ptr<base::StringTable>& strings);

// The number of the device where the file has several, of which it has to be told; else unset.
std::optional<std::int64_t> device_of_file(const OpenedFile* file, const OpenedDevice* device);

// True if any block of the device has a category other than unknown.
bool has_categories(const memory::AllocationLog& log);
// Whether a colour can be a category: the recording tells them, or may still, or most are guessed.
// `device`: null for a trace.
bool knows_categories(const run::Run& run, const OpenedDevice* device);

// Who waits for a file.
struct Opening {
  base::Progress* progress = nullptr;  // cancelled: the file is not opened, which is an error
  // Gets the beginning of a large file while the rest is read, once and on the same thread. It has
  // a fault that says so; a snapshot has its first events and none of what lived before them.
  std::function<void(std::unique_ptr<OpenedFile>)> beginning = {};
  // Bytes. Files of at least `large`, packed ones of `large_packed`, have a beginning: as much of
  // it is read and laid out in a quarter of a second, and at most an eighth of the file, because it
  // stays in memory until the whole is there.
  struct Sizes {
    std::size_t large = std::size_t{64} << 20U;
    std::size_t large_packed = std::size_t{8} << 20U;
    std::size_t beginning = std::size_t{24} << 20U;  // unpacked
  };
  Sizes sizes = {};
  // The part of a snapshot or trace that is read. A part has no beginning that is shown first.
  base::FileRange range = {};
};

// Whether a file has a beginning to show first.
bool is_large(const std::filesystem::path& path, const Opening::Sizes& sizes = {});

// Reads a memory snapshot of PyTorch, pickled or JSON, a trace of a profiler, or a recording, each
// optionally packed by gzip; never runs code. An error is one sentence, for a file without usable
// content.
base::Result<std::unique_ptr<OpenedFile>> open_file(const std::filesystem::path& path,
                                                    const Opening& waiting = {});

}  // namespace ts::files
