#pragma once

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

// The stack as a few rectangles of one colour each, fast to draw for any number of blocks. Made
// once per layout, drawn every frame.
struct StackPicture {
  std::int32_t columns = 0;
  std::int32_t rows = 0;
  std::vector<StackFill> fills;
};

using BlockColor = std::function<Color(memory::BlockIndex, memory::Category)>;

// `rows` pixels represent `top` bytes. Blocks taller than 3.5 px (at scale 1) have a line of
// `surface`, 0.6 strong, as their top row.
StackPicture make_stack_picture(const memory::ActiveMemoryLayout& layout, std::int32_t rows,
                                std::int64_t top, float scale, Color surface,
                                const BlockColor& color_of);

}  // namespace ts::views
