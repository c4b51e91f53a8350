#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/run/run.h"
#include "views/common/draw_sink.h"
#include "views/memory/memory_axis.h"
#include "views/memory/memory_scale.h"

namespace ts::views {

// The layers above live tensors, if known: the memory that the allocator holds, and the memory in
// use on the device by everybody (CUDA's context, libraries, other processes).
struct DeviceLayers {
  std::vector<memory::Reserved> reserved;  // each value holds from its time on
  std::vector<memory::Reserved> used;
  [[nodiscard]] bool empty() const { return reserved.empty() && used.empty(); }
};
DeviceLayers device_layers(const run::Run& run);

// Draws one layer as a step line over the plot, to the right edge. Changes closer than a pixel are
// drawn as their maximum. Draws nothing above the plot.
void draw_layer(DrawSink& sink, const memory::AllocationLog& log,
                const std::vector<memory::Reserved>& layer, const MemoryAxis& axis,
                const MemoryScale& scale, Color color, float thickness);

// The layer's bytes there; its first value left of all. The layer is not empty.
std::int64_t layer_bytes_at(const memory::AllocationLog& log,
                            const std::vector<memory::Reserved>& layer, const MemoryAxis& axis,
                            float x);

}  // namespace ts::views
