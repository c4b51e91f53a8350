#include "views/memory/layer_lines.h"

#include <algorithm>

namespace ts::views {

DeviceLayers device_layers(const run::Run& run) {
  DeviceLayers layers;
  layers.reserved.assign(run.memory.reserved().begin(), run.memory.reserved().end());
  // Only recorded steps: the log ends with them.
  for (const run::StepTimes& step : run.recorded_steps) {
    if (step.gpu) layers.used.push_back({step.begin_ns + step.total_ns, step.gpu->used_bytes});
  }
  return layers;
}

void draw_layer(DrawSink& sink, const memory::AllocationLog& log,
                const std::vector<memory::Reserved>& layer, const MemoryAxis& axis,
                const MemoryScale& scale, Color color, float thickness) {
  const Rect& plot = scale.plot;
  std::vector<Point> line;
  float level = 0;  // the line's height where the last value ends
  const auto flush = [&] {
    if (line.size() > 1) sink.polyline(line, color, thickness);
    line.clear();
  };
  // Values that last less than a pixel: those of one pixel are one upright stroke up to the
  // highest.
  const auto add_short = [&](float x, float y) {
    if (x - line.back().x >= 1) {
      line.push_back({line.back().x, level});
      line.push_back({x, level});
    }
    const Point end = line.back();
    const bool upright = line.size() > 1 && line[line.size() - 2].x == end.x;
    if (!upright) line.push_back(end);
    line.back().y = std::min(end.y, y);
    level = y;
  };
  for (std::size_t i = 0; i < layer.size(); ++i) {
    const float x = std::clamp(axis.axis.x_of(place_of_time(log, axis.kind, layer[i].time_ns)),
                               plot.x0, plot.x1);
    const float next =
        i + 1 < layer.size()
            ? std::clamp(axis.axis.x_of(place_of_time(log, axis.kind, layer[i + 1].time_ns)),
                         plot.x0, plot.x1)
            : plot.x1;
    const float y = scale.y_of(layer[i].bytes);
    if (next - x < 1 && !line.empty()) {
      add_short(x, std::max(y, plot.y0));
      continue;
    }
    if (y < plot.y0) {
      flush();
      continue;
    }
    line.push_back({x, y});
    line.push_back({next, y});
    level = y;
  }
  flush();
}

std::int64_t layer_bytes_at(const memory::AllocationLog& log,
                            const std::vector<memory::Reserved>& layer, const MemoryAxis& axis,
                            float x) {
  const auto after = std::ranges::partition_point(layer, [&](const memory::Reserved& value) {
    return axis.axis.x_of(place_of_time(log, axis.kind, value.time_ns)) <= x;
  });
  return (after == layer.begin() ? after : after - 1)->bytes;
}

}  // namespace ts::views
