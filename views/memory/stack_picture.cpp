#include "views/memory/stack_picture.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

constexpr float kLeastLined = 3.5F;
constexpr float kLineStrength = 0.6F;

// Runs of one row of pixels, each extended upwards while the next row has the same run. Stacks are
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
        // Both lists are ordered by x, so one linear walk finds the run to extend.
        while (open < open_.size() && out_[open_[open]].x0 < x) ++open;
        const bool extends = open < open_.size() && same(out_[open_[open]], x, end, color);
        if (extends) {
          out_[open_[open]].y1 = y + 1;
          next_.push_back(open_[open]);
        } else {
          next_.push_back(out_.size());
          out_.push_back({x, end, y, y + 1, color});
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

}  // namespace

StackPicture make_stack_picture(const memory::ActiveMemoryLayout& layout, std::int32_t rows,
                                std::int64_t top, float scale, Color surface,
                                const BlockColor& color_of) {
  StackPicture out;
  out.columns = static_cast<std::int32_t>(layout.columns.size());
  out.rows = std::max(rows, 0);
  if (out.columns == 0 || out.rows == 0 || top <= 0) return out;
  const double per_byte = static_cast<double>(out.rows) / static_cast<double>(top);
  const auto row_of = [&](std::int64_t bytes) {
    const double row = std::round(static_cast<double>(bytes) * per_byte);
    return static_cast<std::int32_t>(std::clamp(row, 0.0, static_cast<double>(out.rows)));
  };
  const auto width = static_cast<std::size_t>(out.columns);
  std::vector<Color> pixels(width * static_cast<std::size_t>(out.rows), 0);
  const double least = static_cast<double>(kLeastLined * scale) / per_byte;
  for (const memory::StackRect& rect : layout.rects) {
    const std::int32_t y0 = row_of(rect.bottom);
    const std::int32_t y1 = row_of(rect.top);
    const std::int32_t x0 = std::max(rect.column_begin, 0);
    const std::int32_t x1 = std::min(rect.column_end, out.columns);
    if (y1 <= y0 || x1 <= x0) continue;
    const Color color = color_of(rect.block, rect.category);
    const bool lined =
        rect.block != memory::kNone && static_cast<double>(rect.top - rect.bottom) > least;
    Color* row = pixels.data() + static_cast<std::size_t>(y0) * width;
    for (std::int32_t y = y0; y < y1; ++y, row += width) {
      const bool line = lined && y + 1 == y1;
      std::fill(row + x0, row + x1, line ? mixed(color, surface, kLineStrength) : color);
    }
  }
  RunMerger merger(out.fills);
  for (std::int32_t y = 0; y < out.rows; ++y)
    merger.row(y, pixels.data() + static_cast<std::size_t>(y) * width, out.columns);
  return out;
}

}  // namespace ts::views
