#include "core/memory/active_memory_layout.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/memory/live_stack.h"

namespace ts::memory {

namespace {

// `position(i)` is the place of event i on the axis, ascending with i; the data end at `data_end`.
template <class Position>
void sample(std::span<const Event> events, const LayoutRequest& request, double data_end,
            const Position& position, std::vector<ColumnTotal>& out) {
  const double width = (request.end - request.begin) / request.columns;
  const auto edge = [&](std::int32_t column) { return request.begin + width * column; };

  // The first event at or after the left edge, by bisection: the range may begin far into the log.
  std::size_t next = 0;
  for (std::size_t high = events.size(); next < high;) {
    const std::size_t middle = next + (high - next) / 2;
    if (position(middle) < request.begin) {
      next = middle + 1;
    } else {
      high = middle;
    }
  }
  for (std::int32_t column = 0; column < request.columns; ++column) {
    const double begin = edge(column);
    const double end = edge(column + 1);
    if (begin >= data_end) return;
    while (next < events.size() && position(next) < begin) ++next;
    const bool starts_here = next < events.size() && position(next) == begin;
    std::size_t best = next - 1;
    if (next == 0 || starts_here) {
      if (position(next) >= end) continue;
      best = next;
    }
    for (; next < events.size() && position(next) < end; ++next) {
      if (events[next].total_after > events[best].total_after) best = next;
    }
    out[static_cast<std::size_t>(column)] = {events[best].total_after,
                                             static_cast<EventIndex>(best)};
  }
}

// The state that each column of a layout shows (see ColumnTotal). Events never decrease from one
// column to the next. O(columns + events in the range).
std::vector<ColumnTotal> sample_columns(const AllocationLog& log, const LayoutRequest& request) {
  if (request.columns <= 0) return {};
  std::vector<ColumnTotal> out(static_cast<std::size_t>(request.columns));
  const auto events = log.events();
  const bool usable = std::isfinite(request.begin) && std::isfinite(request.end);
  if (events.empty() || !usable || request.end <= request.begin) return out;
  if (request.axis == Axis::event) {
    sample(
        events, request, static_cast<double>(events.size()),
        [](std::size_t event) { return static_cast<double>(event); }, out);
    return out;
  }
  const std::int64_t first = events.front().time_ns;
  sample(
      events, request, static_cast<double>(log.time_range().length()),
      [&](std::size_t event) { return static_cast<double>(events[event].time_ns - first); }, out);
  return out;
}

// Blocks alive at one column but not at the one before, and the other way round; blocks that come
// and go in between are left out.
struct Step {
  std::int32_t column = 0;
  bool ends = false;          // nothing has happened yet, or any more, from this column on
  std::size_t added_end = 0;  // into Steps::added; begins where the step before ends
  std::size_t removed_end = 0;
};

struct Steps {
  std::vector<Step> steps;
  std::vector<BlockIndex> added;
  std::vector<BlockIndex> removed;
};

void append_changes(const AllocationLog& log, EventIndex before, EventIndex after, Steps& out) {
  const auto blocks = log.blocks();
  for (const Event& event : log.events().subspan(before + 1, after - before)) {
    if (event.block == kNone) continue;
    const Block& block = blocks[event.block];
    if (event.action == Action::alloc) {
      if (block.free_event > after) out.added.push_back(event.block);
    } else if (block.alloc_event <= before) {
      out.removed.push_back(event.block);
    }
  }
}

Steps find_steps(const AllocationLog& log, const std::vector<ColumnTotal>& columns) {
  Steps out;
  EventIndex before = kNone;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const EventIndex after = columns[column].event;
    if (after == before) continue;
    Step step;
    step.column = static_cast<std::int32_t>(column);
    if (after == kNone) {
      step.ends = true;
    } else if (before == kNone) {
      const std::vector<BlockIndex> live = log.live_after(after);
      out.added.insert(out.added.end(), live.begin(), live.end());
    } else {
      append_changes(log, before, after, out);
    }
    step.added_end = out.added.size();
    step.removed_end = out.removed.size();
    out.steps.push_back(step);
    before = after;
  }
  return out;
}

// See DrawnBlocks.
DrawnBlocks choose_drawn(std::span<const Block> blocks, const std::vector<BlockIndex>& shown,
                         const LayoutRequest& request) {
  DrawnBlocks drawn;
  drawn.least =
      static_cast<std::int64_t>(std::ceil(std::clamp(request.bytes_per_pixel, 1.0, 0x1p62)));
  std::vector<BlockIndex> candidates;
  for (const BlockIndex block : shown) {
    if (blocks[block].size >= drawn.least) candidates.push_back(block);
  }
  if (candidates.size() <= request.detail) return drawn;
  const auto first_left_out = candidates.begin() + request.detail;
  std::nth_element(
      candidates.begin(), first_left_out, candidates.end(), [&](BlockIndex a, BlockIndex b) {
        return blocks[a].size != blocks[b].size ? blocks[a].size > blocks[b].size : a < b;
      });
  drawn.limited = true;
  drawn.least = blocks[*first_left_out].size;
  drawn.end = *first_left_out;
  return drawn;
}

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

bool same(const StackRect& a, const StackRect& b) {
  return a.row_begin == b.row_begin && a.row_end == b.row_end && a.block == b.block &&
         a.largest == b.largest && a.category == b.category;
}

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

// Writes down where a block lies from column to column.
class Tracker {
 public:
  Tracker(const AllocationLog& log, BlockIndex block, std::vector<TrackedPlace>& out)
      : block_(block), out_(out) {
    if (block < log.blocks().size()) life_ = &log.blocks()[block];
  }
  void place(const LiveStack& stack, EventIndex event, std::int32_t column) {
    if (life_ == nullptr) return;
    const bool lives =
        life_->alloc_event <= event && (life_->free_event == kNone || life_->free_event > event);
    const std::int64_t bottom = lives ? stack.bottom_of(life_->category, block_) : 0;
    if (open_ && lives && out_.back().bottom == bottom) return;
    end(column);
    open_ = lives;
    if (lives) out_.push_back({column, column, bottom});
  }
  void end(std::int32_t column) {
    if (open_) out_.back().column_end = column;
    open_ = false;
  }

 private:
  BlockIndex block_;
  std::vector<TrackedPlace>& out_;
  const Block* life_ = nullptr;
  bool open_ = false;
};

}  // namespace

ActiveMemoryLayout lay_out_active_memory(const AllocationLog& log, const LayoutRequest& request,
                                         const base::CancelToken& cancel) {
  ActiveMemoryLayout layout;
  layout.columns = sample_columns(log, request);
  if (request.rows <= 0 || !(request.bytes_per_pixel > 0)) return layout;
  const Steps steps = find_steps(log, layout.columns);
  const auto blocks = log.blocks();
  layout.drawn = choose_drawn(blocks, steps.added, request);

  StackBuilder builder(request, layout.drawn.limited, layout.rects);
  Tracker tracker(log, request.tracked, layout.tracked);
  std::size_t added = 0;
  std::size_t removed = 0;
  for (const Step& step : steps.steps) {
    if (cancel.cancelled()) return layout;
    if (step.ends) {
      builder.clear(step.column);
      tracker.end(step.column);
      continue;
    }
    for (; removed < step.removed_end; ++removed) {
      const BlockIndex index = steps.removed[removed];
      builder.remove(blocks[index].category, index);
    }
    for (; added < step.added_end; ++added) {
      const BlockIndex index = steps.added[added];
      const Block& block = blocks[index];
      builder.add(block.category, {block.size, index, layout.drawn.contains(index, block.size)});
    }
    builder.place(step.column);
    tracker.place(builder.stack(), layout.columns[static_cast<std::size_t>(step.column)].event,
                  step.column);
  }
  builder.clear(request.columns);
  tracker.end(request.columns);
  return layout;
}

}  // namespace ts::memory
