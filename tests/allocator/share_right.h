#pragma once

#include <cstddef>
#include <optional>

#include "core/memory/allocation_log.h"

namespace ts::testing {

// Share of the allocated bytes whose category is the same in both logs, 0 to 1. Empty where the
// logs do not have the same number of blocks.
inline std::optional<double> share_right(const memory::AllocationLog& truth,
                                         const memory::AllocationLog& guessed) {
  if (truth.blocks().size() != guessed.blocks().size()) return std::nullopt;
  double all = 0;
  double right = 0;
  for (std::size_t i = 0; i < truth.blocks().size(); ++i) {
    const auto size = static_cast<double>(truth.blocks()[i].size);
    all += size;
    if (truth.blocks()[i].category == guessed.blocks()[i].category) right += size;
  }
  return right / all;
}

}  // namespace ts::testing
