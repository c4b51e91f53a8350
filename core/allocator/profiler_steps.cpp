#include "core/allocator/profiler_steps.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace ts::allocator {
namespace {

std::optional<std::int32_t> number_of(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::int32_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || number < 0)
    return std::nullopt;
  return number;
}

}  // namespace

std::vector<ProfilerStep> profiler_steps(const Snapshot& snapshot, std::int64_t device) {
  std::vector<ProfilerStep> steps;
  for (const ExternalAnnotation& annotation : snapshot.external_annotations) {
    if (annotation.device != device) continue;
    const auto number = number_of(snapshot.text(annotation.name));
    if (!number) continue;
    if (snapshot.text(annotation.stage) == "START") {
      steps.push_back({annotation.time_us, ProfilerStep::kOpen, *number});
      continue;
    }
    const auto open = std::find_if(steps.rbegin(), steps.rend(), [&](const ProfilerStep& step) {
      return step.number == *number && step.end_us == ProfilerStep::kOpen;
    });
    if (open != steps.rend()) open->end_us = annotation.time_us;
  }
  std::ranges::stable_sort(steps, {}, &ProfilerStep::begin_us);
  const bool from_zero =
      std::ranges::any_of(steps, [](const ProfilerStep& step) { return step.number == 0; });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!from_zero) --steps[i].number;
    if (i + 1 < steps.size()) steps[i].end_us = std::min(steps[i].end_us, steps[i + 1].begin_us);
  }
  return steps;
}

std::int32_t step_at(const std::vector<ProfilerStep>& steps, std::int64_t time_us) {
  const auto after = std::ranges::upper_bound(steps, time_us, {}, &ProfilerStep::begin_us);
  if (after == steps.begin() || time_us >= (after - 1)->end_us) return -1;
  return (after - 1)->number;
}

}  // namespace ts::allocator
