#include "core/files/step_range.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace ts::files {
namespace {

constexpr std::int64_t kMargin = 50;  // a part of the steps, before and after them
constexpr double kMostOfAll = 0.9;    // of the time of all, from which all is shown

bool is_of_phase(const trace::Slice& slice) {
  return slice.slice_class == trace::SliceClass::forward ||
         slice.slice_class == trace::SliceClass::loss ||
         slice.slice_class == trace::SliceClass::backward ||
         slice.slice_class == trace::SliceClass::optimizer;
}

// The steps that phases tell, which are in their order: each ends with its optimizer; where there
// is none with its backward, and without that each forward is one.
std::vector<base::TimeRange> steps_of_phases(const std::vector<trace::Slice>& phases) {
  std::vector<base::TimeRange> steps;
  const auto kinds = {trace::SliceClass::optimizer, trace::SliceClass::backward,
                      trace::SliceClass::forward};
  const auto* const last = std::ranges::find_if(kinds, [&](trace::SliceClass kind) {
    return std::ranges::find(phases, kind, &trace::Slice::slice_class) != phases.end();
  });
  if (last == kinds.end()) return steps;
  bool ended = true;
  for (const trace::Slice& phase : phases) {
    const bool ends = phase.slice_class == *last;
    if (ended && (!ends || steps.empty() || *last == trace::SliceClass::forward))
      steps.push_back({phase.begin_ns, phase.end_ns()});
    steps.back().end = std::max(steps.back().end, phase.end_ns());
    ended = ends;
  }
  return steps;
}

// A recording names its steps itself. A trace has them in the second row of its phases, or in a
// track of each rank, or its phases where it has no steps; a step of several ranks is one.
std::vector<base::TimeRange> steps_of(const run::Run& run) {
  std::vector<base::TimeRange> steps;
  for (const run::StepTimes& step : run.recorded_steps)
    steps.push_back({step.begin_ns, step.begin_ns + step.total_ns});
  if (!steps.empty()) return steps;
  std::unordered_map<base::StringId, std::size_t> by_name;
  std::vector<trace::Slice> phases;
  const auto tracks = run.trace.tracks();
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto track = static_cast<trace::TrackId>(t);
    if (tracks[t].kind != trace::TrackKind::phases) continue;
    const std::uint16_t depth = tracks[t].rank < 0 ? 1 : 0;
    if (run.trace.depth_count(track) <= depth) continue;
    for (std::uint32_t i = 0; i < run.trace.lane_size(track, depth); ++i) {
      const trace::Slice slice = run.trace.slice({track, depth, i});
      if (is_of_phase(slice)) {
        phases.push_back(slice);
        continue;
      }
      const auto [known, fresh] = by_name.try_emplace(slice.name, steps.size());
      if (fresh) steps.push_back({slice.begin_ns, slice.end_ns()});
      base::TimeRange& step = steps[known->second];
      step = {std::min(step.begin, slice.begin_ns), std::max(step.end, slice.end_ns())};
    }
  }
  return steps.empty() ? steps_of_phases(phases) : steps;
}

}  // namespace

base::TimeRange step_range(const run::Run& run) {
  std::vector<base::TimeRange> steps = steps_of(run);
  if (steps.empty()) return {};
  std::ranges::sort(steps, {}, &base::TimeRange::begin);
  if (steps.size() > kMostStepsShown) steps.erase(steps.begin(), steps.end() - kMostStepsShown);
  base::TimeRange range = steps.front();
  for (const base::TimeRange& step : steps) range.end = std::max(range.end, step.end);
  const base::TimeRange all = run.range();
  // The device ends a step later than the host does.
  const std::int64_t a_step = range.length() / std::ssize(steps);
  if (all.end - range.end < a_step) range.end = all.end;
  const std::int64_t margin = range.length() / kMargin;
  range = {std::max(all.begin, range.begin - margin), std::min(all.end, range.end + margin)};
  const double part = static_cast<double>(range.length()) / static_cast<double>(all.length());
  return part < kMostOfAll ? range : base::TimeRange{};
}

}  // namespace ts::files
