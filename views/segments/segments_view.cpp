#include "views/segments/segments_view.h"

#include <imgui.h>

#include <cmath>

#include "views/charts/imgui_input.h"
#include "views/common/imgui_sink.h"

namespace ts::views {

void SegmentsView::draw(ViewContext& context) {
  constexpr float kLeastSize = 24;  // pixels; below it there is nothing to draw
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (size.x < kLeastSize || size.y < kLeastSize || context.faces == nullptr) return;
  const Rect area{std::floor(at.x), std::floor(at.y), std::floor(at.x + size.x),
                  std::floor(at.y + size.y)};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), *context.faces, context.metrics.scale);
  map_.lay_out(sink, area, context);
  map_.update(read_chart_input("###segments", map_.plot(), false, context.now_ns), context);
  map_.draw(sink, context);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

}  // namespace ts::views
