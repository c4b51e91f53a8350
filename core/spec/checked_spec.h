#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// A specification with its problems, and those of its variants. Each is found once, so a view may
// ask in every frame. What changes outside the specification, such as a model file, is seen by the
// next object. One thread.
class CheckedSpec {
 public:
  explicit CheckedSpec(WorkloadSpec spec);

  [[nodiscard]] const WorkloadSpec& spec() const { return spec_; }
  [[nodiscard]] const std::vector<SpecProblem>& problems() const { return problems_; }

  // The specification with one other value, in the form of --set.
  struct Variant {
    WorkloadSpec spec;  // unchanged if the text is not a value
    std::vector<SpecProblem> problems;
  };
  [[nodiscard]] const Variant& with(Field field, const std::string& value) const;

 private:
  WorkloadSpec spec_;
  std::vector<SpecProblem> problems_;
  mutable std::map<std::pair<Field, std::string>, Variant> variants_;  // those asked for
};

// The sentence of the first problem with the field; null if there is none.
const SpecProblem* problem_of(const std::vector<SpecProblem>& problems, Field field);

}  // namespace ts::spec
