#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/phase.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/memory/record.h"
#include "core/run/failure.h"
#include "core/run/update.h"

namespace ts::kernels {

class Recording;

// Records a script of somebody's own in its process, from construction to finish(), on the CPU:
// operators, modules, phases, steps and every block of LibTorch's CPU allocator. All calls but
// active() come from the thread that made it; one at a time in a process.
//
// With a range of steps only these are recorded, the others are counted: blocks that were there
// before are not known.
//
// Memory is bounded: at most run::kMostRecordingBytes of records are kept, then hooks and allocator
// records stop, and what came later is counted as lost.
class ScriptRecorder {
 public:
  struct Options {
    std::string script;
    std::int64_t limit = 0;  // bytes of tensors that may live from now on, 0 for no limit
    // Steps from `first` up to `end` are recorded; set-up with step 0.
    std::int32_t first = 0;
    std::int32_t end = INT32_MAX;
    bool live = false;  // the open window shows the recording as it grows
  };
  explicit ScriptRecorder(Options options);
  // Nothing is written.
  ~ScriptRecorder();
  ScriptRecorder(const ScriptRecorder&) = delete;
  ScriptRecorder& operator=(const ScriptRecorder&) = delete;

  [[nodiscard]] base::StringTable& strings() noexcept;

  // Why no window shows it; empty: one does, or that was not asked for.
  [[nodiscard]] const base::Message& live_problem() const noexcept;

  // The phase that begins now; the one before ends. idle: none. The first forward begins step 0.
  // graph_kept: see memory::Record.
  void phase(base::Phase phase, bool graph_kept);
  // The step that is open ends here, and the next begins.
  void step();
  void owner(const void* address, memory::Category category, std::string_view name);
  // Written at the end.
  run::ScriptNotes notes;

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
  // Writes the recording of a script that ended so; stops in any case. `failure` says why it ended
  // early, nothing if it did not; out of memory has the numbers of the allocator's last refusal.
  base::Result<Summary> finish(const std::filesystem::path& path,
                               std::optional<run::Failure> failure);
  // In a process forked from the recorded one, which has none of its threads: the hooks leave, and
  // what was recorded is leaked.
  static void abandon(std::unique_ptr<ScriptRecorder> recorder);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::kernels
