#pragma once

#include <cmath>
#include <string>
#include <vector>

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

// The words of the choices in the title row.
inline std::vector<std::string> color_text(const text::Texts& texts) {
  return {texts("memory.color.category"), texts("memory.color.stack"),
          texts("memory.color.allocation")};
}
inline std::vector<std::string> axis_text(const text::Texts& texts) {
  return {texts("memory.axis.time"), texts("memory.axis.event")};
}

}  // namespace ts::views
