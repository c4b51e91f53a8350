#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/allocator/snapshot.h"

namespace ts::allocator {

// A step that the annotation "ProfilerStep#N" of torch.profiler tells.
struct ProfilerStep {
  std::int64_t begin_us = 0;  // Unix
  std::int64_t end_us = 0;
  std::int32_t number = 0;  // from 0

  static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();
  // Whether an end is known: its own, or the beginning of the next step.
  [[nodiscard]] bool ends() const { return end_us != kOpen; }
};

// In the order of time. Counts from 0: N, or N - 1 in files whose first step is not 0, because
// steps are shown from 1. An annotation without an end reaches to the next one.
std::vector<ProfilerStep> profiler_steps(const Snapshot& snapshot, std::int64_t device);

// The step at a time; -1 outside all of them.
std::int32_t step_at(const std::vector<ProfilerStep>& steps, std::int64_t time_us);

}  // namespace ts::allocator
