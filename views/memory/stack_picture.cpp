#include "views/memory/stack_picture.h"

#include <algorithm>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

constexpr float kLeastLined = 3.5F;
constexpr float kLineStrength = 0.6F;
constexpr std::int32_t kWidestStep = 16;  // columns drawn as one

// Runs of one row of pixels, each extended upwards as long as the next row has the same: stacks are
// wide bands, so rows have few runs and neighbouring rows have the same.
class RunMerger {
 public:
  explicit RunMerger(std::vector<StackFill>& out) : out_(out) {}

  void row(std::int32_t y, const Color* pixels, std::int32_t columns) {
    next_.clear();
    std::size_t open = 0;
    for (std::int32_t x = 0; x < columns;) {
      const Color color = pixels[x];
      std::int32_t end = x + 1;
      while (end < columns && pixels[end] == color) ++end;
      if (color != 0) {
        // Both lists are in the order of x: the one to extend is found by walking along.
        while (open < open_.size() && out_[open_[open]].x0 < x) ++open;
        const bool extends = open < open_.size() && same(out_[open_[open]], x, end, color);
        if (extends) {
          out_[open_[open]].y1 = y + 1;
          next_.push_back(open_[open]);
        } else {
          next_.push_back(out_.size());
          out_.push_back({.x0 = x, .x1 = end, .y0 = y, .y1 = y + 1, .color = color});
        }
      }
      x = end;
    }
    open_.swap(next_);
  }

 private:
  static bool same(const StackFill& fill, std::int32_t x0, std::int32_t x1, Color color) {
    return fill.x0 == x0 && fill.x1 == x1 && fill.color == color;
  }
  std::vector<StackFill>& out_;
  std::vector<std::size_t> open_;
  std::vector<std::size_t> next_;
};

// Gives each `step` neighbouring columns the pixels of the one with the largest total.
void join_columns(const memory::ActiveMemoryLayout& layout, std::int32_t step, std::int32_t rows,
                  std::vector<Color>& pixels) {
  const std::size_t width = layout.columns.size();
  for (std::size_t begin = 0; begin < width; begin += static_cast<std::size_t>(step)) {
    const std::size_t end = std::min(begin + static_cast<std::size_t>(step), width);
    std::size_t best = begin;
    for (std::size_t x = begin; x < end; ++x) {
      if (layout.columns[x].bytes > layout.columns[best].bytes) best = x;
    }
    for (std::int32_t y = 0; y < rows; ++y) {
      Color* const row = pixels.data() + static_cast<std::size_t>(y) * width;
      std::fill(row + begin, row + end, row[best]);
    }
  }
}

}  // namespace

StackPicture make_stack_picture(const memory::ActiveMemoryLayout& layout, std::int32_t rows,
                                float scale, Color surface, const RectColor& color_of,
                                std::size_t most_fills) {
  StackPicture out;
  out.columns = static_cast<std::int32_t>(layout.columns.size());
  out.rows = std::max(rows, 0);
  if (out.columns == 0 || out.rows == 0) return out;
  const auto width = static_cast<std::size_t>(out.columns);
  std::vector<Color> pixels(width * static_cast<std::size_t>(out.rows), 0);
  const float least = kLeastLined * scale;
  for (const memory::StackRect& rect : layout.rects) {
    const std::int32_t y0 = std::max(rect.row_begin, 0);
    const std::int32_t y1 = std::min(rect.row_end, out.rows);
    const std::int32_t x0 = std::max(rect.column_begin, 0);
    const std::int32_t x1 = std::min(rect.column_end, out.columns);
    if (y1 <= y0 || x1 <= x0) continue;
    const Color color = color_of(rect);
    const bool lined =
        rect.block != memory::kNone && static_cast<float>(rect.row_end - rect.row_begin) > least;
    Color* row = pixels.data() + static_cast<std::size_t>(y0) * width;
    for (std::int32_t y = y0; y < y1; ++y, row += width) {
      const bool line = lined && y + 1 == rect.row_end;
      std::fill(row + x0, row + x1, line ? mixed(color, surface, kLineStrength) : color);
    }
  }
  for (std::int32_t step = 1;; step *= 2) {
    if (step > 1) join_columns(layout, step, out.rows, pixels);
    out.fills.clear();
    RunMerger merger(out.fills);
    for (std::int32_t y = 0; y < out.rows; ++y)
      merger.row(y, pixels.data() + static_cast<std::size_t>(y) * width, out.columns);
    if (out.fills.size() <= most_fills || step >= kWidestStep) return out;
  }
}

}  // namespace ts::views
