#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/memory/active_memory_layout.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// A run of equal pixels of the stack: columns [x0, x1), rows [y0, y1) from the bottom up.
struct StackFill {
  std::int32_t x0 = 0, x1 = 0;
  std::int32_t y0 = 0, y1 = 0;
  Color color = 0;
};

// The stack as few rectangles of one colour: what draws fast however many blocks there are. Made
// once for a layout, drawn every frame.
struct StackPicture {
  std::int32_t columns = 0;
  std::int32_t rows = 0;
  std::vector<StackFill> fills;
};

using RectColor = std::function<Color(const memory::StackRect&)>;

// Blocks taller than 3.5 px (at scale 1) get a line of `surface`, 0.6 strong, as their uppermost
// row. Where more than `most_fills` would be left, 2, 4, 8 or 16 neighbouring columns show the one
// with the largest total.
inline constexpr std::size_t kMostFills = 50'000;
StackPicture make_stack_picture(const memory::ActiveMemoryLayout& layout, std::int32_t rows,
                                float scale, Color surface, const RectColor& color_of,
                                std::size_t most_fills = kMostFills);

}  // namespace ts::views
