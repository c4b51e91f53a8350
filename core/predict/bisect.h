#pragma once

#include <cstdint>
#include <optional>

namespace ts::predict {

// Moves `low` and `high` towards each other until they are neighbours. `is_low(index)` gives an
// optional answer: true if the index is on the side of `low`. The search ends where it gives none,
// and then the result is false.
template <class IsLow>
bool bisect(std::int64_t& low, std::int64_t& high, IsLow is_low) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const std::optional<bool> answer = is_low(middle);
    if (!answer) return false;
    (*answer ? low : high) = middle;
  }
  return true;
}

}  // namespace ts::predict
