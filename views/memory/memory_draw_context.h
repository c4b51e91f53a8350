#pragma once

#include <cmath>

#include "views/charts/chart_text.h"
#include "views/memory/memory_chart.h"

namespace ts::views {

// Shared input of the drawing functions of the memory view.
struct MemoryChart::DrawContext {
  DrawSink& sink;
  const Theme& theme;
  const Metrics& metrics;
  const text::Texts& texts;
  const base::StringTable& strings;
  [[nodiscard]] float px(float value) const { return std::round(metrics.px(value)); }
};

}  // namespace ts::views
