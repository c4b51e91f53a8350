#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/memory/active_memory_layout.h"
#include "views/common/theme.h"
#include "views/memory/memory_axis.h"
#include "views/memory/memory_scale.h"
#include "views/memory/stack_picture.h"

namespace ts::views {

// The look of the stack, compared from frame to frame.
struct StackSettings {
  ThemeKind theme = ThemeKind::dark;
  bool by_allocation = false;
  std::uint32_t detail = 15000;
  float scale = 1;
  friend bool operator==(const StackSettings&, const StackSettings&) = default;
};

// Lays the stack out again when log, view, size or look changed. While the view moves or the log
// grows, a layout that is too expensive for one frame uses fewer, wider columns. It becomes exact
// when both rest. A layout that is still too expensive takes at most an eighth of the time. Until
// then the last one is shown, moved to its current place.
class StackCache {
 public:
  void update(const memory::AllocationLog& log, const base::StringTable& strings,
              const MemoryAxis& axis, const MemoryScale& scale, const StackSettings& look,
              const Theme& theme, std::int64_t now_ns);
  void clear();

  [[nodiscard]] const memory::ActiveMemoryLayout& layout() const { return layout_; }
  // Coarser than the screen, or made for a view other than the last requested one.
  [[nodiscard]] bool stale() const { return stale_; }

  void draw(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale) const;
  // The rectangle of the stack under a point of the plot.
  [[nodiscard]] bool hit(const MemoryAxis& axis, const MemoryScale& scale, Point at,
                         memory::StackRect& out) const;
  // Outline of one block, anywhere in view.
  void outline(DrawSink& sink, const MemoryAxis& axis, const MemoryScale& scale,
               memory::BlockIndex block, Color color, float thickness) const;

 private:
  struct Key {
    std::uint64_t version = 0;
    memory::Axis kind = memory::Axis::time;
    base::TimeRange range;
    std::int32_t columns = 0;
    std::int32_t rows = 0;
    std::int64_t top = 0;
    StackSettings look;
    friend bool operator==(const Key&, const Key&) = default;
  };
  [[nodiscard]] float x_of(const MemoryAxis& axis, std::int32_t column) const;
  [[nodiscard]] bool odd_layer(const base::StringTable& strings, base::StringId module);

  bool made_ = false;
  bool stale_ = false;
  Key key_;
  std::int64_t made_ns_ = 0;
  std::int32_t coarse_ = 1;         // pixels per column
  std::int64_t whole_cost_ns_ = 0;  // of the last layout at one pixel per column
  memory::ActiveMemoryLayout layout_;
  StackPicture picture_;
  std::vector<std::int8_t> odd_;  // by module; -1 not known yet
};

// For blocks that are not drawn individually, when every other block has its own colour.
Color band_color(const Theme& theme);

// The layer of a module path: its first number ("blocks.12.attn" is 12). -1: none.
std::int32_t layer_of(std::string_view module);

}  // namespace ts::views
