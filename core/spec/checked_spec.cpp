#include "core/spec/checked_spec.h"

#include <algorithm>

namespace ts::spec {

CheckedSpec::CheckedSpec(WorkloadSpec spec) : spec_(std::move(spec)), problems_(validate(spec_)) {}

const CheckedSpec::Variant& CheckedSpec::with(Field field, const std::string& value) const {
  const auto [known, is_new] = variants_.try_emplace({field, value}, Variant{spec_, {}});
  Variant& variant = known->second;
  if (!is_new) return variant;
  if (auto set = set_field(variant.spec, field_name(field), value); !set) {
    variant.problems = {{std::move(set.error()), field}};
  } else {
    variant.problems = variant.spec == spec_ ? problems_ : validate(variant.spec);
  }
  return variant;
}

const SpecProblem* problem_of(const std::vector<SpecProblem>& problems, Field field) {
  const auto found = std::ranges::find(problems, field, &SpecProblem::field);
  return found == problems.end() ? nullptr : &*found;
}

}  // namespace ts::spec
