#include "views/hunt/hunt_log.h"

#include <imgui.h>

#include <string>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/hunt/hunt_figure.h"

namespace ts::views {
namespace {

using run::Fit;

struct Mark {
  const char* icon;
  Color color;
};

Mark mark_of(const Theme& theme, Fit fit) {
  if (fit == Fit::fits) return {"\xef\x80\x8c", theme.ok};                // check
  if (fit == Fit::fits_after_flush) return {"\xef\x81\xb1", theme.warn};  // warning
  return {"\xef\x80\x8d", theme.bad};                                     // cross
}

}  // namespace

std::optional<std::size_t> draw_hunt_log(const Ui& ui, const run::HuntMap& map, float height) {
  section(ui, ui.texts("hunt.log"),
          ui.texts("hunt.log_count",
                   {{"count", text::grouped(static_cast<std::int64_t>(map.log().size()))}}));
  std::optional<std::size_t> pressed;
  const float row_height = ui.px(44);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (ImGui::BeginChild("###hunt_log", {0, height})) {
    const float width = ImGui::GetContentRegionAvail().x;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(map.log().size()), row_height);
    while (clipper.Step()) {
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
        const std::size_t number = map.log().size() - static_cast<std::size_t>(row);
        const std::size_t index = map.log()[number - 1];
        const run::HuntCell& cell = map.cell(index);
        ImGui::PushID(static_cast<int>(number));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (ImGui::InvisibleButton("###probe", {width, row_height})) pressed = index;
        const std::string reason = cell.reason.key.empty()
                                       ? cell.reason.sentence
                                       : ui.texts(cell.reason.key, cell.reason.arguments);
        ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
        if (ImGui::IsItemHovered()) {
          sink.fill({at.x, at.y, at.x + width, at.y + row_height}, ui.theme.surface2, ui.px(3));
          tooltip(ui, reason);
        }
        const auto line = [&](float left, float top) {
          return Rect{at.x + ui.px(left), at.y + ui.px(top), at.x + width - ui.px(4),
                      at.y + ui.px(top + 18)};
        };
        const Mark mark = mark_of(ui.theme, cell.fit);
        text_in(sink, line(4, 3), TextStyle::small, ui.theme.text3,
                text::grouped(static_cast<std::int64_t>(number)));
        sink.text({at.x + ui.px(36), at.y + ui.px(5)}, TextStyle::small, mark.color, mark.icon);
        text_in(sink, line(56, 3), TextStyle::body, ui.theme.text, cell_place(map, index));
        text_right(sink, line(56, 3), TextStyle::body, ui.theme.text2,
                   text::bytes(cell.at_least).joined());
        text_in(sink, line(56, 21), TextStyle::small, ui.theme.text3, reason);
        ImGui::PopID();
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  return pressed;
}

}  // namespace ts::views
