#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/phase.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/memory/record.h"
#include "core/run/failure.h"
#include "core/run/update.h"

namespace ts::kernels {

// Records what a process of somebody's own does, from construction to finish(), told by
// record_api.cpp. All calls but enter() and leave() come from the thread that made it; one at a
// time in a process. Each library that has record_api.cpp has one kind of it.
class ProcessRecorder {
 public:
  struct Options {
    std::string script;
    std::int64_t limit = 0;  // bytes of tensors that may live from now on, 0 for no limit
    // Steps from `first` up to `end` are recorded; set-up with step 0.
    std::int32_t first = 0;
    std::int32_t end = INT32_MAX;
    bool on_cuda = false;  // the memory of a card is recorded instead of the CPU's
    bool live = false;     // the open window shows the recording as it grows
    // Where finish() will write: beside it lies what is recorded so far (recording_journal.h),
    // which stays if the process is killed. Empty: nothing does.
    std::filesystem::path path = {};
  };
  struct Summary {
    std::int64_t steps = 0;       // complete ones
    std::int64_t recorded = 0;    // of them
    std::int64_t peak_bytes = 0;  // of tensors since the beginning
    std::int64_t file_bytes = 0;
    std::uint64_t lost = 0;       // records
    std::uint64_t lost_live = 0;  // further ones that only the window did not get
    // The step at whose end the window was found gone, or no longer showing it; -1: it stayed.
    std::int64_t window_gone = -1;
  };

  ProcessRecorder() = default;
  // Nothing is written.
  virtual ~ProcessRecorder() = default;
  ProcessRecorder(const ProcessRecorder&) = delete;
  ProcessRecorder& operator=(const ProcessRecorder&) = delete;

  [[nodiscard]] virtual base::StringTable& strings() noexcept = 0;
  // Why no window shows it; empty: one does, or that was not asked for.
  [[nodiscard]] virtual const base::Message& live_problem() const noexcept = 0;

  // The script has started CUDA. Once.
  virtual void cuda_started() {}
  // Filled by finish(): what the recording lacks, and what was written beside it; a sentence each.
  std::vector<base::Message> remarks;

  // A module begins and ends on the calling thread, which may be any.
  virtual void enter(base::StringId module) = 0;
  virtual void leave(base::StringId module) = 0;
  // The phase that begins now; the one before ends. idle: none. The first forward begins step 0.
  // graph_kept: see memory::Record.
  virtual void phase(base::Phase phase, bool graph_kept) = 0;
  // The step that is open ends here, and the next begins.
  virtual void step() = 0;
  // name: of strings().
  virtual void owner(const void* address, memory::Category category, base::StringId name) = 0;
  // Written at the end.
  run::ScriptNotes notes;

  // Writes the recording of a script that ended so; stops in any case. `failure` says why it ended
  // early, nothing if it did not; out of memory has the numbers of the allocator's last refusal.
  virtual base::Result<Summary> finish(const std::filesystem::path& path,
                                       std::optional<run::Failure> failure) = 0;
  // In a process forked from the recorded one, which has none of its threads: the hooks leave.
  // The caller leaks the recorder afterwards.
  virtual void leave_in_child() noexcept = 0;
};

// The kind of this library.
std::unique_ptr<ProcessRecorder> make_process_recorder(ProcessRecorder::Options options);

}  // namespace ts::kernels
