#pragma once

#include <bit>
#include <cstdint>

namespace ts::spec {

// The sizes at which sliders stop and which the search for an edge tries: eight per octave (1, 9/8,
// 10/8 ... of a power of two), every whole number below eight. value >= 1.
inline std::int64_t size_step(std::int64_t value) {
  const auto octave = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
  return octave < 8 ? 1 : octave / 8;
}
// The next such size above any value.
inline std::int64_t next_size(std::int64_t value) {
  const std::int64_t step = size_step(value);
  return (value / step + 1) * step;
}
// The next such size below any value > 1.
inline std::int64_t previous_size(std::int64_t value) {
  const std::int64_t step = size_step(value - 1);
  return (value - 1) / step * step;
}

}  // namespace ts::spec
