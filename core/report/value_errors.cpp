#include "core/report/value_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/spec/workload_math.h"
#include "core/text/message.h"

namespace ts::report {
namespace {

// Of the course; tf32 has as many bits as fp16.
double most_value_error(spec::DataType type) {
  switch (type) {
    case spec::DataType::fp32:
      return 1e-5;
    case spec::DataType::bf16:
      return 2e-2;
    default:
      return 2e-3;
  }
}

}  // namespace

Finding value_errors(const run::Run& run) {
  if (!run.values) return std::nullopt;
  const run::ValueErrors& errors = *run.values;
  if (!errors.not_compared.empty()) return {{CheckState::unknown, errors.not_compared}};
  const spec::DataType type = spec::compute_type(run.spec);
  const bool half = type == spec::DataType::fp16 || type == spec::DataType::bf16;
  const double most = most_value_error(type);
  const double worst = std::max(errors.values, errors.gradients.value_or(0));
  // The course holds one attention to it. In 16 bits a model of many layers may be further off and
  // yet learn the same; from 1 on a tensor has nothing of what it should be.
  const bool told = std::isfinite(errors.values) && std::isfinite(errors.gradients.value_or(0));
  const bool wrong = !told || worst >= 1 || !half;
  const CheckState state =
      passed_if(told && worst <= most, wrong ? CheckState::failed : CheckState::noted);
  const auto words = [](double error) {
    return std::isfinite(error) ? fmt::format("{:.1e}", error) : std::string("inf");
  };
  std::vector<base::Argument> numbers = {{"values", words(errors.values)},
                                         {"type", to_string(type)},
                                         {"most", fmt::format("{:.0e}", most)}};
  if (!errors.gradients) return {{state, text::message("check.values_forward", numbers)}};
  numbers.emplace_back("gradients", words(*errors.gradients));
  numbers.emplace_back("of", errors.worst_gradient);
  return {{state, text::message("check.values", numbers)}};
}

}  // namespace ts::report
