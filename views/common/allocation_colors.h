#pragma once

#include <array>
#include <cstddef>

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

}  // namespace ts::views
