#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/memory/paired_timelines.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

class OverlayCurves;

// Allocated memory of two logs over each other, or of the first alone if the second has neither
// name nor log. No part of it may be kept.
struct MemoryOverlay {
  struct Side {
    std::string name;                            // "naive, T = 512, predicted for RTX 4060"
    const memory::AllocationLog* log = nullptr;  // null: nothing to draw
    std::shared_ptr<const void> owner = {};      // of the log; null: its curve is not kept
  };
  std::array<Side, 2> sides;
  [[nodiscard]] std::size_t count() const {
    return sides[1].name.empty() && sides[1].log == nullptr ? 1 : 2;
  }
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
  OverlayCurves* curves = nullptr;  // of the last frame; null: none are kept
};

// The curves of an overlay, which take a pass over all events of both logs; made again when a log
// or the width changes.
class OverlayCurves {
 public:
  // The second side may be without a log: then it has no curve.
  void update(const std::array<MemoryOverlay::Side, 2>& sides, std::size_t columns);
  [[nodiscard]] const memory::PairedTimelines& axis() const { return axis_; }
  // The largest total in each column.
  [[nodiscard]] const std::vector<std::int64_t>& totals(std::size_t side) const {
    return totals_[side];
  }

 private:
  struct Source {
    const memory::AllocationLog* log = nullptr;
    std::shared_ptr<const void> owner;  // kept, so that no other log has the same address
    std::uint64_t version = 0;
    friend bool operator==(const Source&, const Source&) = default;
  };
  std::array<Source, 2> made_of_;
  std::size_t columns_ = 0;
  memory::PairedTimelines axis_;
  std::array<std::vector<std::int64_t>, 2> totals_;
};

// Both on one scale of bytes, phase over phase where both run through the same phases. The names
// with their peaks stand above, with the ratio of the peaks.
void draw_memory_overlay(DrawSink& sink, const Rect& area, const MemoryOverlay& overlay);

}  // namespace ts::views
