#pragma once

#include <optional>
#include <vector>

#include "core/predict/dry_run.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/record/process_recorder.h"

namespace ts::kernels {

// Records what Python does on tensors without data ("meta"), as our own dry runs are recorded: the
// blocks that the same code would take on a real device, by the rules of `rules`. Only the thread
// that made it is recorded; what a tensor on meta is asked for its number (item()) is an error.
// There is no clock: times count events (predict::DryRun::kEventSpacing).
//
// owner() takes the address of a block on the host, or that of a c10::StorageImpl plus 1.
//
// Afterwards LibTorch's kernels for meta tensors are ours in this process, for good.
class MetaRecorder final : public ProcessRecorder {
 public:
  MetaRecorder(Options options, const predict::DryRunOptions& rules);
  ~MetaRecorder() override;

  [[nodiscard]] base::StringTable& strings() noexcept override { return strings_; }
  [[nodiscard]] const base::Message& live_problem() const noexcept override { return no_live_; }
  void enter(base::StringId module) override;
  void leave(base::StringId module) override;
  void phase(base::Phase phase, bool graph_kept) override;
  void step() override;
  void owner(const void* address, memory::Category category, base::StringId name) override;
  base::Result<Summary> finish(const std::filesystem::path& path,
                               std::optional<run::Failure> failure) override;
  void leave_in_child() noexcept override;

 private:
  void end_phase();
  run::BatchUpdate take_records();

  const Options options_;
  base::StringTable strings_;
  base::CancelToken cancel_;
  base::Message no_live_;
  std::vector<memory::Record> records_;
  std::uint64_t place_callback_ = 0;
  std::optional<DryRecording> dry_;
  base::Phase phase_ = base::Phase::idle;
  std::int32_t step_ = -1;
};

}  // namespace ts::kernels
