#pragma once

#include <array>
#include <cstdint>

#include "core/base/string_table.h"
#include "core/predict/dry_run.h"

namespace ts::predict {

// cuBLAS takes its workspace from PyTorch's allocator when a thread first multiplies matrices,
// after the product's own block, and keeps it: one for the thread of the forward, one for that of
// the backward. 8 MiB + 128 KiB, 32 MiB on Hopper (at::cuda::getChosenWorkspaceSize, PyTorch 2.11).
// cublasLt, which adds the bias of a linear layer, takes one of 1 MiB besides
// (at::cuda::getCUDABlasLtWorkspaceSize). Seen on an H200.
class CublasWorkspaces {
 public:
  CublasWorkspaces(const DryRun& run, const base::StringTable& strings,
                   std::int32_t compute_capability);
  // Calls take(bytes) for each workspace that is taken right after this event of the log. False if
  // a call was.
  template <class Take>
  bool take_after(memory::EventIndex event, const Take& take) const {
    for (const Taken& one : taken_) {
      if (one.after == event && !take(one.bytes)) return false;
    }
    return true;
  }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  struct Taken {
    memory::EventIndex after = memory::kNone;
    std::int64_t bytes = 0;
  };
  // cuBLAS's of each thread, then that of cublasLt.
  std::array<Taken, 4> taken_;
};

}  // namespace ts::predict
