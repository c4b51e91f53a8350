#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/capture/recorder.h"
#include "kernels/cuda/cuda_library.h"
#include "kernels/observe/allocator_trace.h"
#include "kernels/observe/recording.h"

namespace ts::kernels {

// The cards of a script that is recorded: their kernels by CUPTI, the events of their allocator.
// Nothing of CUDA is touched before the script itself has started it. The thread that made it, one
// at a time in a process.
class ScriptCuda {
 public:
  // limit: bytes that the allocator of each card may hold, 0 for no limit.
  explicit ScriptCuda(std::int64_t limit) : limit_(limit) {}
  ~ScriptCuda();
  ScriptCuda(const ScriptCuda&) = delete;
  ScriptCuda& operator=(const ScriptCuda&) = delete;

  // The script has started CUDA.
  void start();
  [[nodiscard]] bool started() const noexcept { return library_ != nullptr; }

  // Between the two, `recording` gets the allocator's events and `recorder` the kernels. A context
  // on a card of several is taken only when the script has allocated there: look() finds that, and
  // the peak so far.
  void begin(capture::Recorder& recorder, Recording& recording);
  void look();
  void end();

  // Bytes of tensors that the script took at most until the last look(), beside what was there when
  // it began; as the card's allocator counts. Any thread.
  [[nodiscard]] std::int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  // The card whose memory is recorded; empty until the script has allocated.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  // A sentence for each thing that is missing in the recording.
  [[nodiscard]] std::vector<base::Message> missing() const;
  // Writes the record of the allocator in PyTorch's own format.
  [[nodiscard]] base::Result<void> write_snapshot(const std::filesystem::path& path,
                                                  const base::StringTable& strings) const;
  // Events that were too many for it, the oldest.
  [[nodiscard]] std::uint64_t events_left_out() const {
    return trace_ != nullptr ? trace_->left_out() : 0;
  }

 private:
  void find_card();
  void capture();
  void note_peak();

  const std::int64_t limit_;
  CudaLibrary* library_ = nullptr;  // for good: CUPTI's threads may still call into it
  std::unique_ptr<AllocatorTrace> trace_;
  capture::Recorder* recorder_ = nullptr;
  Recording* recording_ = nullptr;
  bool captures_ = false;
  int card_ = -1;
  std::string name_;
  std::int64_t capacity_ = 0;
  std::vector<std::int64_t> in_use_before_;  // of each card
  std::atomic<std::int64_t> peak_{0};
  base::Message problem_;
};

}  // namespace ts::kernels
