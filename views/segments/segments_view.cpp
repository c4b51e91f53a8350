#include "views/segments/segments_view.h"

#include "views/charts/imgui_input.h"

namespace ts::views {

void SegmentsView::draw(ViewContext& context) {
  draw_chart_region(context, [&](DrawSink& sink, const Rect& area) {
    map_.lay_out(sink, area, context);
    map_.update(read_chart_input("###segments", map_.plot(), false, context.now_ns), context);
    map_.draw(sink, context);
  });
}

}  // namespace ts::views
