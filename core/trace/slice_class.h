#pragma once

#include <array>
#include <optional>

#include "core/base/phase.h"
#include "core/trace/slice.h"

namespace ts::trace {

// Names for files; the window has its own words.
inline constexpr std::array<const char*, kSliceClassCount> kSliceClassNames = {
    "step",    "setup",       "forward", "loss", "backward",  "optimizer", "module",       "matmul",
    "softmax", "elementwise", "norm",    "copy", "attention", "other",     "communication"};

// The class of the slice of a phase, from which setup to optimizer stand in the same order. Idle
// has none of its own.
constexpr SliceClass class_of(base::Phase phase) {
  if (phase >= base::Phase::idle) return SliceClass::other;
  return static_cast<SliceClass>(static_cast<int>(SliceClass::setup) + static_cast<int>(phase));
}
static_assert(class_of(base::Phase::setup) == SliceClass::setup);
static_assert(class_of(base::Phase::optimizer) == SliceClass::optimizer);

constexpr std::optional<base::Phase> phase_of(SliceClass slice_class) {
  if (slice_class < SliceClass::setup || slice_class > SliceClass::optimizer) return std::nullopt;
  return static_cast<base::Phase>(static_cast<int>(slice_class) -
                                  static_cast<int>(SliceClass::setup));
}

}  // namespace ts::trace
