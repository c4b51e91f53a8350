#include "core/spec/repairs.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/spec/checked_spec.h"
#include "core/spec/spec_fields.h"

namespace ts::spec {
namespace {

constexpr std::size_t kMostRepairs = 3;

// Backends that store no scores come first: a user who chose a fused kernel wants one of these.
constexpr std::array kRepairingBackends = {AttentionBackend::flash,     AttentionBackend::tiled,
                                           AttentionBackend::efficient, AttentionBackend::cudnn,
                                           AttentionBackend::math,      AttentionBackend::naive};

bool has_problem(const WorkloadSpec& spec, DeviceKind where, Field field) {
  return problem_of(problems_on(spec, where), field) != nullptr;
}

// Finds the nearest value without that problem: clamped to the range, the value that 0 stands for,
// up to kFarthest away, or repeated halves of it where a tensor would be too large.
std::optional<WorkloadSpec> with_other_number(const WorkloadSpec& spec, DeviceKind where,
                                              Field field, const NumberField& number) {
  constexpr std::int64_t kFarthest = 128;
  WorkloadSpec changed = spec;
  const auto works = [&](std::int64_t value) {
    changed.*number.member = std::clamp(value, number.range.min, number.range.max);
    return !has_problem(changed, where, field);
  };
  const std::int64_t now = std::clamp(spec.*number.member, number.range.min, number.range.max);
  if (works(now)) return changed;
  if (number.zero_is && works(0)) return changed;
  for (std::int64_t distance = 1; distance <= kFarthest; ++distance) {
    if (works(now - distance) || works(now + distance)) return changed;
  }
  for (std::int64_t half = now / 2; half > 0; half /= 2) {
    if (works(half)) return changed;
  }
  return std::nullopt;
}

// Variants of the settings with one other value each, in which `field` has no problem.
std::vector<WorkloadSpec> with_other(const WorkloadSpec& spec, DeviceKind where, Field field) {
  std::vector<WorkloadSpec> all;
  const auto add = [&](const WorkloadSpec& changed) {
    if (!(changed == spec) && !has_problem(changed, where, field)) all.push_back(changed);
  };
  WorkloadSpec changed = spec;
  if (field == Field::backend) {
    // The requested kernel may exist for another type.
    changed.dtype = DataType::bf16;
    add(changed);
    changed = spec;
    for (const AttentionBackend backend : kRepairingBackends) {
      changed.backend = backend;
      add(changed);
    }
  } else if (const auto* const choice = field_as<ChoiceField>(field); choice != nullptr) {
    for (int i = 0; i < static_cast<int>(choice->names.size()); ++i) {
      choice->set(changed, i);
      add(changed);
    }
  } else if (const auto* const number = field_as<NumberField>(field); number != nullptr) {
    if (const auto other = with_other_number(spec, where, field, *number)) add(*other);
  } else if (const auto* const real = field_as<RealField>(field); real != nullptr) {
    changed.*real->member = std::clamp(spec.*real->member, real->min, real->max);
    add(changed);
  } else if (const auto* const bytes = field_as<BytesField>(field); bytes != nullptr) {
    changed.*bytes->member = 0;
    add(changed);
  } else if (const auto* const words = field_as<TextField>(field); words != nullptr) {
    changed.*words->member = WorkloadSpec().*words->member;
    add(changed);
  }
  return all;
}

// Repairs the first remaining problem until there is none; nothing if that does not end.
std::optional<WorkloadSpec> repaired(WorkloadSpec spec, DeviceKind where) {
  constexpr int kMostChanges = 4;
  for (int i = 0; i < kMostChanges; ++i) {
    const auto problems = problems_on(spec, where);
    if (problems.empty()) return spec;
    const auto others = with_other(spec, where, problems.front().field);
    if (others.empty()) return std::nullopt;
    spec = others.front();
  }
  return problems_on(spec, where).empty() ? std::optional(spec) : std::nullopt;
}

}  // namespace

std::vector<SpecProblem> problems_on(WorkloadSpec spec, DeviceKind where) {
  spec.device = where;
  return validate(spec);
}

std::vector<WorkloadSpec> repairs_of(const WorkloadSpec& spec, DeviceKind where, DeviceKind also) {
  std::vector<WorkloadSpec> found;
  const auto problems = problems_on(spec, where);
  if (problems.empty()) return found;
  for (const WorkloadSpec& other : with_other(spec, where, problems.front().field)) {
    const auto whole = repaired(other, where);
    if (whole && std::ranges::find(found, *whole) == found.end()) found.push_back(*whole);
  }
  std::ranges::stable_partition(
      found, [also](const WorkloadSpec& one) { return problems_on(one, also).empty(); });
  if (found.size() > kMostRepairs) found.resize(kMostRepairs);
  return found;
}

}  // namespace ts::spec
