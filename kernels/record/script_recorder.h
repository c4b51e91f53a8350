#pragma once

#include <memory>

#include "kernels/record/process_recorder.h"

namespace ts::kernels {

// Records a script of somebody's own in its process: operators, modules, phases, steps and every
// block of LibTorch's CPU allocator, or of a card's with the card's kernels (script_cuda.h). At out
// of memory on a card the record of its allocator is written beside the recording.
//
// With a range of steps only these are recorded, the others are counted: blocks that were there
// before are not known.
//
// Memory is bounded: at most run::kMostRecordingBytes of records are kept, then hooks and allocator
// records stop, and what came later is counted as lost.
class ScriptRecorder final : public ProcessRecorder {
 public:
  explicit ScriptRecorder(Options options);
  ~ScriptRecorder() override;

  [[nodiscard]] base::StringTable& strings() noexcept override;
  [[nodiscard]] const base::Message& live_problem() const noexcept override;
  void cuda_started() override;
  void enter(base::StringId module) override;
  void leave(base::StringId module) override;
  void phase(base::Phase phase, bool graph_kept) override;
  void step() override;
  void owner(const void* address, memory::Category category, base::StringId name) override;
  base::Result<Summary> finish(const std::filesystem::path& path,
                               std::optional<run::Failure> failure) override;
  void leave_in_child() noexcept override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::kernels
