#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/memory/active_memory_layout.h"
#include "core/memory/live_stack.h"

namespace ts::memory {

// Turns blocks that come and go from column to column into rectangles of rows. For each column in
// which something changed: add() and remove(), then place(). What keeps its rows is one rectangle.
class StackBuilder {
 public:
  // `join_rest`: see LiveStack::Rest.
  StackBuilder(const LayoutRequest& request, bool join_rest, std::vector<StackRect>& rects)
      : request_(request), join_rest_(join_rest), rects_(rects) {}

  void add(Category category, const LiveStack::Item& item) {
    stack_.add(category, item);
    changed_ = std::min(changed_, category);
  }
  void remove(Category category, BlockIndex block) {
    stack_.remove(category, block);
    changed_ = std::min(changed_, category);
  }
  [[nodiscard]] const LiveStack& stack() const { return stack_; }
  void place(std::int32_t column);
  // Nothing is alive from this column on.
  void clear(std::int32_t column);

 private:
  [[nodiscard]] std::int32_t row_of(std::int64_t bytes) const;
  void close(const StackRect& rect, std::int32_t column);

  const LayoutRequest& request_;
  bool join_rest_;
  std::vector<StackRect>& rects_;
  LiveStack stack_;
  Category changed_ = Category::parameter;  // the lowest since the last place()
  std::vector<StackRect> open_;             // of the column before, from the bottom
  std::vector<StackRect> next_;
};

}  // namespace ts::memory
