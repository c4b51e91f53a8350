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

// The micro-batches of the steps that accumulate, in order. None where every step has
// one forward. `count` is that of its step; the last step, which may be in progress, has at least
// that of the one before.
std::vector<MicroBatch> micro_batches(std::span<const memory::PhaseSpan> phases);

// A recomputation has the colour of a forward.
Color recompute_color(const Theme& theme);

// The recomputation that contains an event. Null if there is none.
const memory::RecomputeSpan* recomputation_at(const memory::AllocationLog& log,
                                              memory::EventIndex event);

// The common part of two module paths, with the differing part as a range: "blocks.3" of
// "blocks.3.norm1" and "blocks.3.ffn.w2", "blocks.4 to 7" of "blocks.4.norm1" and "blocks.7.ffn".
// Empty if they have nothing in common.
std::string common_module(std::string_view first, std::string_view last, const text::Texts& texts);

}  // namespace ts::views
