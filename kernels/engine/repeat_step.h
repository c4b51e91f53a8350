#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernels/engine/execution.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {

// The steps of a dry run. Every step frees the gradients of the one before and then runs forward
// and backward from the same state as the first; only the optimizer finds state that it has made.
// So from the second step on the records of the first up to the optimizer are repeated with new
// blocks, and only the optimizer runs. That holds if the first step left only gradients and
// optimizer state behind and freed nothing that existed before it, which its records show; other
// steps (gradients that are zeroed instead of dropped) are run in full.
class DryRunSteps {
 public:
  // `records` are those that `recording` writes; all outlive this.
  DryRunSteps(TorchExecution& execution, DryRecording& recording,
              std::vector<memory::Record>& records, bool repeat);
  // In order from 0.
  run::Outcome<void> step(std::int32_t number);
  // True if steps after the first are repeated, as far as checked.
  [[nodiscard]] bool repeats() const noexcept { return repeat_; }

 private:
  run::Outcome<void> run_in_full(std::int32_t number);
  [[nodiscard]] bool first_can_be_repeated();
  void note_again(const memory::Record& first, std::int32_t step);

  TorchExecution& execution_;
  DryRecording& recording_;
  std::vector<memory::Record>& records_;
  bool repeat_;
  // Indices of the first step: its begin, the optimizer, and its end.
  std::size_t begin_ = 0, optimizer_begin_ = 0, optimizer_end_ = 0, end_ = 0;
  std::vector<std::uint64_t> gradients_;  // in the order in which a step frees them
  std::unordered_set<std::uint64_t> is_gradient_;
  std::unordered_map<std::uint64_t, std::uint64_t> now_;  // blocks of the first step by its address
};

}  // namespace ts::kernels
