#pragma once

#include <cstdint>
#include <optional>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// The last backward of a log finds what its forward kept: parameters, gradients that were not
// dropped, inputs, activations and the loss, before anything of the backward exists.
struct BeforeBackward {
  EventIndex event = kNone;  // the last one before it; kNone: it is the first thing of the log
  std::int64_t bytes = 0;    // live then
};
// Unset where there was no backward, or where a later step began and did not come to its own: what
// an earlier step kept is not that of the one that broke off. A backward whose first event is not
// there yet counts already.
std::optional<BeforeBackward> before_backward(const AllocationLog& log);

}  // namespace ts::memory
