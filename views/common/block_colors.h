#pragma once

#include <cstdint>

namespace ts::views {

// The colours of blocks in the memory view and among the segments.
enum class BlockColors : std::uint8_t {
  category,
  stack,       // blocks that were allocated with the same stack share a colour
  allocation,  // each block has its own
};

// As the number of the largest blocks that are drawn individually: all.
inline constexpr std::uint32_t kAllBlocks = 0xFFFFFFFFU;

}  // namespace ts::views
