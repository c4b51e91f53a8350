#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/message.h"
#include "core/spec/workload_spec.h"
#include "core/text/message.h"

namespace ts::spec {

// Collects the problems of a spec.
class Problems {
 public:
  void add(Field field, base::Message said) { found_.push_back({std::move(said), field}); }
  // The text is spec.error.KEY.
  void add(Field field, const std::string& key, std::vector<base::Argument> arguments = {}) {
    add(field, text::message("spec.error." + key, std::move(arguments)));
  }
  [[nodiscard]] bool empty() const { return found_.empty(); }
  std::vector<SpecProblem> take() { return std::move(found_); }

 private:
  std::vector<SpecProblem> found_;
};

// Checks the combinations of values; every number must be in its range.
void check_combinations(const WorkloadSpec& spec, Problems& problems);

}  // namespace ts::spec
