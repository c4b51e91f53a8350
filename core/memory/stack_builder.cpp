#include "core/memory/stack_builder.h"

#include <cmath>

namespace ts::memory {

namespace {

bool same(const StackRect& a, const StackRect& b) {
  return a.row_begin == b.row_begin && a.row_end == b.row_end && a.block == b.block &&
         a.largest == b.largest && a.category == b.category;
}

}  // namespace

std::int32_t StackBuilder::row_of(std::int64_t bytes) const {
  const double row = static_cast<double>(bytes - request_.bottom) / request_.bytes_per_pixel + 0.5;
  return static_cast<std::int32_t>(std::clamp(row, 0.0, static_cast<double>(request_.rows)));
}

void StackBuilder::place(std::int32_t column) {
  const double height = static_cast<double>(request_.rows) * request_.bytes_per_pixel;
  const auto top = static_cast<std::int64_t>(
      std::min(static_cast<double>(request_.bottom) + std::ceil(height), 0x1p62));
  next_.clear();
  const LiveStack::Rest rest{join_rest_, static_cast<std::int64_t>(request_.bytes_per_pixel)};
  // Below the lowest category that changed nothing moves.
  std::size_t before = 0;
  while (before < open_.size() && open_[before].category < changed_) ++before;
  // Most blocks end before the middle of the next row: they have no row.
  double next_middle = -1;
  const auto visit = [&](Category category, std::int64_t bottom, std::int64_t end, BlockIndex block,
                         BlockIndex largest) {
    if (static_cast<double>(end) < next_middle) return;
    const std::int32_t row_end = row_of(end);
    const std::int32_t row = row_of(bottom);
    next_middle = static_cast<double>(request_.bottom) +
                  (static_cast<double>(row_end) + 0.499) * request_.bytes_per_pixel;
    if (row_end <= row) return;
    next_.push_back({.column_begin = column,
                     .column_end = column,
                     .row_begin = row,
                     .row_end = row_end,
                     .block = block,
                     .largest = largest,
                     .category = category});
  };
  stack_.visit(changed_, request_.bottom, top, rest, visit);
  const std::size_t kept = before;
  for (StackRect& rect : next_) {
    while (before < open_.size() && open_[before].row_begin < rect.row_begin) {
      close(open_[before++], column);
    }
    if (before < open_.size() && same(open_[before], rect)) {
      rect.column_begin = open_[before++].column_begin;
    }
  }
  while (before < open_.size()) close(open_[before++], column);
  open_.resize(kept);
  open_.insert(open_.end(), next_.begin(), next_.end());
  changed_ = Category::unknown;
}

void StackBuilder::clear(std::int32_t column) {
  for (const StackRect& rect : open_) close(rect, column);
  open_.clear();
  stack_.clear();
  changed_ = Category::parameter;
}

void StackBuilder::close(const StackRect& rect, std::int32_t column) {
  if (rect.column_begin == column) return;
  rects_.push_back(rect);
  rects_.back().column_end = column;
}

}  // namespace ts::memory
