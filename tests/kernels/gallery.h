#pragma once

#include <string>
#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// A small specification and what it is, in words: "lm full_step fp32 checkpoint=blocks".
struct Exhibit {
  std::string name;
  spec::WorkloadSpec spec;
};

// Everything the engine can do on the CPU, in small: every workload with every pass and dtype, and
// each of these once more with every value of every other setting that applies to it (of sizes
// those that make a difference), one at a time; then pairs of settings that meet in the same
// operators. A setting that is added to the table is in it by itself.
std::vector<Exhibit> gallery();

}  // namespace ts::kernels
