#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// Collects what is wrong with a spec, each in English and as a key of the locale files.
class Problems {
 public:
  void add(Field field, std::string key, std::string_view english,
           std::vector<text::Argument> arguments = {}) {
    std::string sentence = text::fill(english, arguments);
    add_ready(field, std::move(key), std::move(sentence), std::move(arguments));
  }
  // A sentence that is ready: what the user wrote in it is not looked into for placeholders.
  void add_ready(Field field, std::string key, std::string sentence,
                 std::vector<text::Argument> arguments) {
    found_.push_back(
        {field, std::move(sentence), "spec.error." + std::move(key), std::move(arguments)});
  }
  [[nodiscard]] bool empty() const { return found_.empty(); }
  std::vector<SpecProblem> take() { return std::move(found_); }

 private:
  std::vector<SpecProblem> found_;
};

// How the values of a spec go together; every number must be in its range.
void check_combinations(const WorkloadSpec& spec, Problems& problems);

}  // namespace ts::spec
