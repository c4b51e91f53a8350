#pragma once

#include <cstdint>
#include <optional>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// State before the last backward of a log, with the memory that its forward kept: parameters,
// gradients that were not freed, inputs, activations and the loss, but nothing of the backward.
struct BeforeBackward {
  EventIndex event = kNone;  // the last one before it; kNone: the backward starts the log
  std::int64_t bytes = 0;    // live bytes at that event
};
// Unset if there was no backward, or if a later step began and did not reach its own backward:
// memory kept by an earlier step is not that of the step that broke off. A backward counts even if
// its first event is not in the log yet.
std::optional<BeforeBackward> before_backward(const AllocationLog& log);

}  // namespace ts::memory
