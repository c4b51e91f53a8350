#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/text/text.h"
#include "views/common/theme.h"

namespace ts::views {

// Forward, loss and backward of one micro-batch of a step.
struct MicroBatch {
  std::int32_t step = 0;
  int number = 1;  // of `count`
  int count = 1;
  memory::EventIndex first_event = 0;
  memory::EventIndex end_event = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // 0: still open
};

// Of the steps that accumulate, in order: a step with one forward has none. Of a step that goes on
// those that have begun; `count` is the most that any step has.
std::vector<MicroBatch> micro_batches(std::span<const memory::PhaseSpan> phases);

// What runs again looks like the forward that it is.
Color recompute_color(const Theme& theme);

// The recomputation that an event belongs to; null for none.
const memory::RecomputeSpan* recomputation_at(const memory::AllocationLog& log,
                                              memory::EventIndex event);

// What two module paths have in common, with where they part as a range: "blocks.3" of
// "blocks.3.norm1" and "blocks.3.ffn.w2", "blocks.4 to 7" of "blocks.4.norm1" and "blocks.7.ffn".
// Empty where they have nothing in common.
std::string common_module(std::string_view first, std::string_view last, const text::Texts& texts);

}  // namespace ts::views
