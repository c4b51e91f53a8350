#pragma once

#include <array>
#include <cstdint>

#include "core/base/string_table.h"
#include "core/predict/dry_run.h"

namespace ts::predict {

// cuBLAS takes its workspace from PyTorch's allocator when a thread first multiplies matrices,
// after the product's own block, and keeps it: one for the thread of the forward, one for that of
// the backward. 8 MiB + 128 KiB, 32 MiB on Hopper (at::cuda::getChosenWorkspaceSize, PyTorch 2.11).
class CublasWorkspaces {
 public:
  CublasWorkspaces(const DryRun& run, const base::StringTable& strings,
                   std::int32_t compute_capability);
  // True if a workspace is taken right after this event of the log.
  [[nodiscard]] bool taken_after(memory::EventIndex event) const {
    return event == after_[0] || event == after_[1];
  }
  [[nodiscard]] std::int64_t bytes_each() const { return bytes_each_; }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::int64_t bytes_each_ = 0;
  std::array<memory::EventIndex, 2> after_{memory::kNone, memory::kNone};
};

}  // namespace ts::predict
