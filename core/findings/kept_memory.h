#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/run/run.h"

namespace ts::findings {

// Blocks that a place of the script makes and that pile up: more of them are alive at the end of
// every complete step.
struct Pile {
  std::string line;
  std::int64_t growth = 0;  // bytes a step
  bool activation = false;  // made by a forward with a graph
};
// The largest first, one for each module and line; none for fewer than `least` complete steps.
// O(steps x live blocks).
std::vector<Pile> piles_of(const run::Run& run, const base::StringTable& strings,
                           std::size_t least);

// Bytes of gradients at the end of the last complete step that are older than the step before it.
std::int64_t old_gradients(const run::Run& run);

// The line of the script that began the last backward; empty if none is known.
std::string line_of_backward(const run::Run& run, const base::StringTable& strings);

// The memory of a part of a model for the backward: activations in its largest step, gradients of
// all its parameters, and the line that runs it.
struct PartBytes {
  std::int64_t activations = 0;
  std::int64_t gradients = 0;
  std::string line;
};
PartBytes bytes_of_part(const run::Run& run, const base::StringTable& strings,
                        std::span<const std::string> inside);

}  // namespace ts::findings
