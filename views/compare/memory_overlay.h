#pragma once

#include <array>
#include <string>

#include "core/memory/paired_timelines.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Allocated memory of two logs over each other. No part of it may be kept.
struct MemoryOverlay {
  struct Side {
    std::string name;                            // "naive, T = 512, predicted for RTX 4060"
    const memory::AllocationLog* log = nullptr;  // null: nothing to draw
  };
  std::array<Side, 2> sides;
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
};

// Both on one scale of bytes, phase over phase where both run through the same phases. The names
// with their peaks stand above, with the ratio of the peaks.
void draw_memory_overlay(DrawSink& sink, const Rect& area, const MemoryOverlay& overlay);

}  // namespace ts::views
