#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/memory/block.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// The colour of a block when every block has its own colour. Ten hues that colour-blind readers can
// tell apart. Orange-red is reserved for failures.
inline Color allocation_color(std::size_t block) {
  constexpr std::array<Color, 10> kColors{0xFFB27A4E, 0xFF7BB069, 0xFF5DB8D6, 0xFFA77BB5,
                                          0xFF9AA34F, 0xFF6E9BD1, 0xFFC5A26B, 0xFF8CC0A3,
                                          0xFF5A86A8, 0xFFAE8FD0};
  return kColors[block % kColors.size()];
}

// The colour of a block where blocks of one stack share a colour: that of its stack, else of its
// operator and module, else its own.
inline Color stack_color(const memory::Block& block, std::size_t index,
                         std::span<const std::uint32_t> stacks) {
  const bool has_stack = index < stacks.size() && stacks[index] != memory::kNone;
  const bool has_origin = block.op != base::kNoString || block.module != base::kNoString;
  if (!has_stack && !has_origin) return allocation_color(index);
  const std::uint64_t key =
      has_stack ? stacks[index] : (std::uint64_t{block.op} << 32U) ^ block.module;
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
  return allocation_color(static_cast<std::size_t>((key * kGoldenRatio) >> 33U));
}

}  // namespace ts::views
