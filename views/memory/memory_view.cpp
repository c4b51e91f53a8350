#include "views/memory/memory_view.h"

#include <imgui.h>

#include <array>
#include <cmath>

#include "views/charts/imgui_input.h"
#include "views/common/imgui_sink.h"

namespace ts::views {
namespace {

constexpr float kLeastSize = 24;  // pixels; below it there is nothing to draw

struct Control {
  MemoryChart::Item item;
  const char* id;
  bool held;  // answers while it is held, not when it is pressed
};
constexpr std::array<Control, MemoryChart::kItemCount> kControls{
    {{MemoryChart::kDetail, "###memory_detail", true},
     {MemoryChart::kColor, "###memory_color", false},
     {MemoryChart::kAxis, "###memory_axis", false},
     {MemoryChart::kLink, "###memory_link", false}}};

}  // namespace

void MemoryView::draw(ViewContext& context) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (size.x < kLeastSize || size.y < kLeastSize || context.faces == nullptr) return;
  const Rect area{std::floor(at.x), std::floor(at.y), std::floor(at.x + size.x),
                  std::floor(at.y + size.y)};
  ImGuiSink sink(*ImGui::GetWindowDrawList(), *context.faces, context.metrics.scale);
  chart_.lay_out(sink, area, context);

  const Rect canvas{area.x0, chart_.regions().title.y1, area.x1, area.y1};
  ChartInput input =
      read_chart_input("###memory", canvas, context.state.memory_has_keys, context.now_ns);
  if (input.hovered) context.state.memory_has_keys = true;
  // While a run is going on Escape ends it.
  if (context.run != nullptr && !context.run->finished) input.clear = false;
  for (const Control& control : kControls) {
    const HotSpot spot = hot_spot(control.id, chart_.item(control.item));
    if (control.held ? spot.held : spot.pressed) chart_.use(control.item, input.mouse.x, context);
  }

  chart_.update(input, context);
  // The cursor goes with the mouse; another view may have taken it by now.
  if (!input.hovered && own_cursor_ && context.state.cursor_ns == own_cursor_)
    context.state.cursor_ns.reset();
  own_cursor_ = input.hovered ? context.state.cursor_ns : std::nullopt;
  chart_.draw(sink, context);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

}  // namespace ts::views
