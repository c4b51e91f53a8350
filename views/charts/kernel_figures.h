#pragma once

#include <cstdint>
#include <optional>

#include "core/stats/kernel_table.h"
#include "views/common/view_state.h"

namespace ts::views {

// True if a GPU was recorded in the run.
bool has_kernels(const run::Run& run);

// The kernel table of the run on screen. Recomputed when the run has new slices, at most twice a
// second while the run is in progress. UI thread.
class KernelFigures {
 public:
  // Valid until the next call. Empty without a run, and for a run whose GPU was not recorded. With
  // a range only of what begins in it.
  const stats::KernelTable& of(const ViewContext& context,
                               std::optional<base::TimeRange> range = {});

 private:
  stats::KernelTable table_;
  bool made_ = false;
  std::uint64_t run_id_ = 0;
  std::uint64_t slices_ = 0;
  std::optional<base::TimeRange> range_;
  std::int64_t made_ns_ = 0;
};

}  // namespace ts::views
