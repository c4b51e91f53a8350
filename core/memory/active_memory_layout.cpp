#include "core/memory/active_memory_layout.h"

#include <algorithm>
#include <cmath>

#include "core/memory/column_samples.h"
#include "core/memory/stack_builder.h"

namespace ts::memory {

namespace {

// Blocks that are live at one column but not at the previous one, and the reverse; blocks that are
// allocated and freed in between are left out.
struct Step {
  std::int32_t column = 0;
  bool ends = false;          // before the first event or after the last one, from this column on
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

// Selects the blocks to draw individually: those of at least a pixel, and of these the `detail`
// largest of the whole layout, the older first among equals.
class Individuals {
 public:
  Individuals(std::span<const Block> blocks, const std::vector<BlockIndex>& shown,
              const LayoutRequest& request)
      : blocks_(blocks),
        least_(static_cast<std::int64_t>(
            std::ceil(std::clamp(request.bytes_per_pixel, 1.0, 0x1p62)))) {
    std::vector<BlockIndex> candidates;
    for (const BlockIndex block : shown) {
      if (blocks[block].size >= least_) candidates.push_back(block);
    }
    if (candidates.size() <= request.detail) return;
    const auto first_left_out = candidates.begin() + request.detail;
    std::nth_element(
        candidates.begin(), first_left_out, candidates.end(), [&](BlockIndex a, BlockIndex b) {
          return blocks[a].size != blocks[b].size ? blocks[a].size > blocks[b].size : a < b;
        });
    least_ = blocks[*first_left_out].size;
    end_ = *first_left_out;
  }

  [[nodiscard]] bool contains(BlockIndex block) const {
    const std::int64_t size = blocks_[block].size;
    return size > least_ || (size == least_ && block < end_);
  }

 private:
  std::span<const Block> blocks_;
  std::int64_t least_;
  BlockIndex end_ = kNone;  // of the blocks of exactly `least_` bytes, those older than this one
};

}  // namespace

ActiveMemoryLayout lay_out_active_memory(const AllocationLog& log, const LayoutRequest& request) {
  ActiveMemoryLayout layout;
  layout.columns = sample_columns(log, request);
  const Steps steps = find_steps(log, layout.columns);
  const auto blocks = log.blocks();
  const Individuals individuals(blocks, steps.added, request);

  StackBuilder stack(layout.rects);
  std::size_t added = 0;
  std::size_t removed = 0;
  for (const Step& step : steps.steps) {
    if (step.ends) {
      stack.clear(step.column);
      continue;
    }
    for (; removed < step.removed_end; ++removed) {
      const BlockIndex index = steps.removed[removed];
      const Block& block = blocks[index];
      if (individuals.contains(index)) {
        stack.remove(index, block.category, step.column);
      } else {
        stack.change_band(block.category, -block.size);
      }
    }
    for (; added < step.added_end; ++added) {
      const BlockIndex index = steps.added[added];
      const Block& block = blocks[index];
      if (individuals.contains(index)) {
        stack.add(index, block.category, block.size);
      } else {
        stack.change_band(block.category, block.size);
      }
    }
    stack.place(step.column);
  }
  stack.clear(request.columns);
  return layout;
}

bool rect_at(const ActiveMemoryLayout& layout, std::int32_t column, std::int64_t bytes,
             StackRect& out) {
  const auto first =
      std::partition_point(layout.rects.begin(), layout.rects.end(),
                           [&](const StackRect& rect) { return rect.column_end <= column; });
  const auto found = std::find_if(first, layout.rects.end(), [&](const StackRect& rect) {
    return rect.column_begin <= column && rect.bottom <= bytes && bytes < rect.top;
  });
  if (found == layout.rects.end()) return false;
  out = *found;
  return true;
}

}  // namespace ts::memory
