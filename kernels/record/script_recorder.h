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

namespace ts::kernels {

class Recording;

// Records a script of somebody's own in its process, from construction to finish(), on the CPU:
// operators, modules, phases, steps and every block of LibTorch's CPU allocator. All calls but
// active() come from the thread that made it; one at a time in a process.
//
// Memory is bounded: at most run::kMostRecordingBytes of records are kept, then hooks and allocator
// records stop, and what came later is counted as lost.
class ScriptRecorder {
 public:
  // `limit`: bytes of tensors that may live from now on, 0 for no limit.
  ScriptRecorder(std::string script, std::int64_t limit);
  // Nothing is written.
  ~ScriptRecorder();
  ScriptRecorder(const ScriptRecorder&) = delete;
  ScriptRecorder& operator=(const ScriptRecorder&) = delete;

  [[nodiscard]] base::StringTable& strings() noexcept;

  // The phase that begins now; the one before ends. idle: none. The first forward begins step 0.
  // graph_kept: see memory::Record.
  void phase(base::Phase phase, bool graph_kept);
  // The step that is open ends here, and the next begins.
  void step();
  void owner(const void* address, memory::Category category, std::string_view name);

  struct Summary {
    std::int64_t steps = 0;       // complete ones
    std::int64_t peak_bytes = 0;  // of tensors since the beginning
    std::int64_t file_bytes = 0;
    std::uint64_t lost = 0;  // records
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
