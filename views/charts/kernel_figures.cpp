#include "views/charts/kernel_figures.h"

#include <algorithm>

namespace ts::views {
namespace {

constexpr std::int64_t kPause = 500'000'000;

}  // namespace

bool has_kernels(const run::Run& run) {
  return std::ranges::any_of(run.trace.tracks(), [](const trace::Track& track) {
    return track.kind == trace::TrackKind::gpu_stream;
  });
}

const stats::KernelTable& KernelFigures::of(const ViewContext& context,
                                            std::optional<base::TimeRange> range) {
  const run::Run* const run = context.run;
  if (run == nullptr || context.file != nullptr || !has_kernels(*run)) {
    table_ = {};
    made_ = false;
    return table_;
  }
  const std::uint64_t slices = run->trace.slice_count();
  const bool same = made_ && run->id == run_id_ && range == range_;
  const bool wait = !run->finished && context.now_ns - made_ns_ < kPause;
  if (same && (slices == slices_ || wait)) return table_;
  table_ = stats::kernel_table(run->trace, run->launches, context.strings, range);
  range_ = range;
  made_ = true;
  run_id_ = run->id;
  slices_ = slices;
  made_ns_ = context.now_ns;
  return table_;
}

}  // namespace ts::views
