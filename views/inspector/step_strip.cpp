#include "views/inspector/step_strip.h"

#include <algorithm>
#include <cmath>

namespace ts::views {

StepStrip step_strip(const run::Run& run) {
  StepStrip strip;
  const run::TimingSummary timing = run.timing();
  strip.median_ms = timing.median_ms;
  const auto add = [&](const std::vector<run::StepTimes>& steps, bool warmup) {
    for (const run::StepTimes& step : steps) {
      const double ms = static_cast<double>(step.total_ns) * 1e-6;
      const bool outlier = !warmup && timing.outlier_above_ms >= 0 && ms > timing.outlier_above_ms;
      strip.steps.push_back({ms, warmup, outlier});
      strip.highest_ms = std::max(strip.highest_ms, ms);
    }
  };
  add(run.warmup_steps, true);
  add(run.timed_steps, false);
  return strip;
}

std::optional<std::size_t> draw_step_strip(DrawSink& sink, const Theme& theme, const Rect& area,
                                           const StepStrip& strip, Point mouse) {
  sink.fill(area, theme.surface2, 2);
  if (strip.steps.empty() || strip.highest_ms <= 0) return std::nullopt;
  // In a panel of its own the bars are as wide as they can be told apart from far away.
  const float widest = std::max(14.0F, area.height() / 8);
  const auto count = static_cast<float>(strip.steps.size());
  const float each = std::min(area.width() / count, widest);
  const float gap = each >= 4 ? 1.0F : 0.0F;
  const auto y_of = [&](double ms) {
    return area.y1 - static_cast<float>(ms / strip.highest_ms) * area.height();
  };
  std::optional<std::size_t> hit;
  for (std::size_t i = 0; i < strip.steps.size();) {
    const float x0 = std::floor(area.x0 + each * static_cast<float>(i));
    std::size_t slowest = i;
    std::size_t next = i + 1;
    while (next < strip.steps.size() &&
           std::floor(area.x0 + each * static_cast<float>(next)) <= x0) {
      if (strip.steps[next].ms > strip.steps[slowest].ms) slowest = next;
      ++next;
    }
    const float x1 = std::max(x0 + 1, std::floor(area.x0 + each * static_cast<float>(next)) - gap);
    const StepStrip::Step& step = strip.steps[slowest];
    const Color color = step.warmup ? theme.warn : step.outlier ? theme.bad : theme.accent;
    const float y = std::min(std::floor(y_of(step.ms)), area.y1 - 1);
    if (mouse.x >= x0 && mouse.x < x1 + gap && mouse.y >= area.y0 && mouse.y < area.y1) {
      hit = slowest;
      sink.fill({x0, area.y0, x1, area.y1}, theme.surface3);
    }
    sink.fill({x0, y, x1, area.y1}, color);
    i = next;
  }
  if (strip.median_ms > 0) {
    const float y = std::round(y_of(strip.median_ms));
    sink.fill({area.x0, y, area.x1, y + 1}, theme.text);
  }
  return hit;
}

}  // namespace ts::views
