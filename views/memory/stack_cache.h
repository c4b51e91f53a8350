#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/memory/active_memory_layout.h"
#include "core/memory/stack_column.h"
#include "views/common/memory_source.h"
#include "views/memory/memory_axis.h"
#include "views/memory/memory_scale.h"
#include "views/memory/stack_maker.h"

namespace ts::views {

// The picture of the stack, kept from frame to frame and made anew when log, view, size or look
// changed. Until a new one is there the last one stands in, moved to where it belongs now.
//
// Where nothing changes the log any more (the source has an owner), a picture that would cost more
// than a frame may is made on another thread. Elsewhere it is made of fewer, wider columns while
// the view moves or the log grows, and exact once both rest; one that is still too dear is made at
// most in an eighth of the time.
class StackCache {
 public:
  // The visible part.
  struct View {
    const MemorySource& source;
    const base::StringTable& strings;
    MemoryAxis axis;
    MemoryScale scale;
    StackSettings look;
    memory::BlockIndex tracked = memory::kNone;  // whose outline is wanted however small it is
    std::int64_t now_ns = 0;
    bool at_once = false;                                // nothing may stand in for the picture
    std::shared_ptr<const std::vector<bool>> hits = {};  // of a search, by block; null: none
  };
  void update(const View& view);
  void clear();
  // Returns when no other thread reads the log any more.
  void stop_painting();

  [[nodiscard]] const memory::ActiveMemoryLayout& layout() const { return made_.layout; }
  // Coarser than the screen, or made for another view than the one last asked for.
  [[nodiscard]] bool stale() const { return stale_; }
  // Rectangles that a frame draws.
  [[nodiscard]] std::size_t fills() const { return made_.picture.fills.size(); }

  void draw(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale) const;
  // The block of the stack under a point of the plot, however small.
  [[nodiscard]] std::optional<memory::StackPlace> hit(const memory::AllocationLog& log,
                                                      const MemoryAxis& axis,
                                                      const MemoryScale& scale, Point at);
  // From its lowest to its highest place in view; unset where it is not the tracked block.
  [[nodiscard]] std::optional<base::TimeRange> bytes_of_tracked(const memory::AllocationLog& log,
                                                                memory::BlockIndex block) const;
  // Outline of one block, wherever it lies in view: the tracked one, or one drawn individually.
  void outline(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale,
               const memory::AllocationLog& log, memory::BlockIndex block, Color color,
               float thickness) const;

 private:
  struct Key {
    std::uint64_t version = 0;
    memory::Axis kind = memory::Axis::time;
    base::TimeRange range;
    std::int32_t columns = 0;
    std::int32_t rows = 0;
    std::int64_t bottom = 0;
    std::int64_t top = 0;
    StackSettings look;
    memory::BlockIndex tracked = memory::kNone;
    std::shared_ptr<const std::vector<bool>> hits;
    friend bool operator==(const Key&, const Key&) = default;
  };
  // Pixels a column, and what was asked for with it.
  struct Asked {
    Key key;
    std::int32_t coarse = 1;
  };
  [[nodiscard]] StackOrder order(const View& view, const Asked& asked) const;
  void take_over(MadeStack made, const Asked& asked, std::int64_t now_ns);
  void update_in_background(const View& view, const Key& wanted);
  void update_here(const View& view, const Key& wanted);
  [[nodiscard]] float x_of(const MemoryAxis& axis, std::int32_t column) const;
  [[nodiscard]] std::optional<std::int32_t> column_at(const MemoryAxis& axis, float x) const;

  bool has_made_ = false;
  bool stale_ = false;
  Key key_;
  MadeStack made_;
  std::int32_t coarse_ = 1;
  std::int64_t made_ns_ = 0;
  std::int64_t whole_cost_ns_ = 0;  // of a layout of single pixels, from the last one
  memory::StackColumn column_;      // under the mouse
  std::uint64_t column_version_ = 0;
  StackMaker maker_;
  std::unique_ptr<BackgroundStackMaker> background_ = std::make_unique<BackgroundStackMaker>();
  std::uint64_t last_number_ = 0;
  std::optional<Asked> asked_;  // of the background, by last_number_
};

}  // namespace ts::views
