#pragma once

#include <cstdint>

#include "core/stats/kernel_table.h"
#include "views/common/view_state.h"

namespace ts::views {

// Whether a GPU was recorded in the run.
bool has_kernels(const run::Run& run);

// The table of kernels of the run on screen, made anew when the run has more to tell: at most twice
// a second while it goes on. UI thread.
class KernelFigures {
 public:
  // Holds until the next call. Empty without a run, and for one whose GPU was not recorded.
  const stats::KernelTable& of(const ViewContext& context);

 private:
  stats::KernelTable table_;
  bool made_ = false;
  std::uint64_t run_id_ = 0;
  std::uint64_t slices_ = 0;
  std::int64_t made_ns_ = 0;
};

}  // namespace ts::views
