#pragma once

#include <cstdint>
#include <vector>

#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// An operator at one end of the arrow from a forward to its backward.
struct AutogradEnd {
  std::uint32_t event = 0;  // index among the events
  std::uint32_t flow = 0;   // number of the arrow, from 1 on; both ends share it
  bool forward = false;
};

// Both ends of each arrow, in the order of the file: the operator that begins at its time, or else
// the last one that began on that thread and still runs. Ends without an operator are left out.
// O(n log n).
std::vector<AutogradEnd> autograd_ends(const TraceFile& file);

}  // namespace ts::trace_file
