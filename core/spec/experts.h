#pragma once

#include <cstdint>

#include "core/spec/workload_spec.h"

// Mixtures of experts: a router sends each token to some of several feed-forward parts.
namespace ts::spec {

// Of a spec; count 0: there are none.
struct Experts {
  std::int64_t count = 0;
  std::int64_t per_token = 0;
  double capacity = 0;
  [[nodiscard]] bool any() const { return count > 0; }
  // Tokens that each expert takes of `tokens`: capacity times what it would get if all got equally
  // many, rounded up, and no more than all. 0: all. Shapes follow from this alone, so memory does
  // not depend on where tokens go. (Fedus et al. 2022, "Switch Transformers", equation 3.)
  [[nodiscard]] std::int64_t room(std::int64_t tokens) const;
};
Experts experts(const WorkloadSpec& spec);

// Parameters that work on each token: all but the experts that it is not sent to.
std::int64_t active_count(const WorkloadSpec& spec);

}  // namespace ts::spec
