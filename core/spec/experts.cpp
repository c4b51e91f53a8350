#include "core/spec/experts.h"

#include <algorithm>
#include <cmath>

#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {

std::int64_t Experts::room(std::int64_t tokens) const {
  if (capacity <= 0) return tokens;
  const double even =
      static_cast<double>(tokens) * static_cast<double>(per_token) / static_cast<double>(count);
  // A product that is whole but for rounding is not rounded up.
  const double most = std::ceil(capacity * even * (1 - 1e-12));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, tokens);
}

Experts experts(const WorkloadSpec& spec) {
  Experts experts;
  if (!field_applies(spec, Field::experts) || spec.experts == 0) return experts;
  experts.count = spec.experts;
  experts.per_token = spec.experts_per_token;
  experts.capacity = spec.capacity;
  return experts;
}

std::int64_t active_count(const WorkloadSpec& spec) {
  const Experts found = experts(spec);
  if (!found.any()) return parameter_count(spec);
  const std::int64_t of_one = 3 * spec.d_model * spec.d_ff * attention_count(spec);
  return parameter_count(spec) - (found.count - found.per_token) * of_one;
}

}  // namespace ts::spec
