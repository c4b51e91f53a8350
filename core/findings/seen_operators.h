#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/base/string_table.h"
#include "core/run/run.h"

namespace ts::findings {

// Operators of one line of the script, over all steps.
struct LineUse {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::set<std::int64_t> steps;  // in which they ran; see step_at()
};
using Lines = std::map<std::string, LineUse, std::less<>>;

// The result of one walk over all slices.
struct SeenOperators {
  bool clears = false;  // gradients: zero_grad(), or a tensor set to zero in a step
  // Numbers read from tensors (.item()). Left out are reads by optimizers, and reads of indices,
  // which lie on the host: the same line takes them out of a tensor of several.
  Lines reads;
  // Tensors whose numbers are read to print them.
  Lines prints;
  // Operators in steps that compute with fp64 tensors of several elements; conversions and copies
  // do not count.
  Lines doubles;
  // Scalars added with an autograd node that no backward ran, as in total += loss.
  Lines sums;
  std::string first_double;  // the line of the earliest of `doubles`
};

// O(slices log slices).
SeenOperators see_operators(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::findings
