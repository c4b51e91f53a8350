#include "core/findings/operators_of_run.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/trace/each_slice.h"

namespace ts::findings {
namespace {

constexpr std::string_view kMark = "@ ";

}  // namespace

std::string_view line_of(std::string_view place) {
  const std::size_t at = place.rfind(kMark);
  return at == std::string_view::npos ? std::string_view() : place.substr(at + kMark.size());
}

std::string_view module_of(std::string_view place) {
  const std::string_view module = place.substr(0, place.rfind(kMark));
  return module.ends_with(' ') ? module.substr(0, module.size() - 1) : module;
}

base::Phase phase_at(const run::Run& run, std::int64_t time_ns) {
  const auto phases = run.memory.phases();
  const auto after = std::ranges::upper_bound(phases, time_ns, {}, &memory::PhaseSpan::begin_ns);
  if (after == phases.begin()) return base::Phase::idle;
  const memory::PhaseSpan& span = *std::prev(after);
  return span.end_ns == 0 || time_ns < span.end_ns ? span.phase : base::Phase::idle;
}

std::int64_t step_at(const run::Run& run, std::int64_t time_ns) {
  const auto& steps = run.recorded_steps;
  const auto after = std::ranges::upper_bound(steps, time_ns, {}, &run::StepTimes::begin_ns);
  const auto step = std::distance(steps.begin(), after) - 1;
  if (after != steps.end() || step < 0) return step;
  return time_ns < steps.back().begin_ns + steps.back().total_ns ? step : step + 1;
}

void for_each_slice(
    const run::Run& run,
    const std::function<void(const trace::Slice& slice, const trace::Slice* outer)>& use) {
  for (trace::TrackId track = 0; track < run.trace.tracks().size(); ++track) {
    if (run.trace.tracks()[track].kind == trace::TrackKind::phases) continue;
    trace::for_each_slice(run.trace, track, [&](trace::SliceRef ref, const trace::Slice& slice) {
      std::optional<trace::Slice> outer;
      if (const auto parent = run.trace.parent(ref)) outer = run.trace.slice(*parent);
      use(slice, outer ? &*outer : nullptr);
    });
  }
}

bool has_tensor_of(std::string_view shapes, std::string_view dtype) {
  const std::string end = "] " + std::string(dtype);
  for (std::size_t at = shapes.find(end); at != std::string_view::npos;
       at = shapes.find(end, at + 1)) {
    const std::string_view dims = shapes.substr(0, at);
    if (!dims.ends_with('[') && !dims.ends_with("[1")) return true;
  }
  return false;
}

}  // namespace ts::findings
