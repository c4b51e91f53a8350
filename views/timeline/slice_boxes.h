#pragma once

#include <span>
#include <vector>

#include "core/trace/trace_store.h"
#include "views/charts/time_axis.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// A box of a row, on whole pixels.
struct SliceBox {
  Rect rect;
  trace::VisibleSlice slice;
};

// Places a lane's visible slices into a row. Every box is at least one pixel wide, inside the row,
// in order, without overlap. If the start pixel is already taken, the first box stays. Boxes of
// three or more pixels leave one pixel free on their right, to separate neighbours.
void place_boxes(std::span<const trace::VisibleSlice> slices, const TimeAxis& axis, const Rect& row,
                 float gap, std::vector<SliceBox>& out);

// The box under x. A distance of up to `reach` pixels counts, so that thin boxes can be hit.
const SliceBox* box_at(std::span<const SliceBox> boxes, float x, float reach);

}  // namespace ts::views
