#include "core/memory/active_memory_layout.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/memory/column_samples.h"
#include "core/memory/live_stack.h"
#include "core/memory/stack_builder.h"

namespace ts::memory {

namespace {

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
