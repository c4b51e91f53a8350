#include "views/inspector/row_list.h"

#include <imgui.h>

#include <algorithm>

#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

float widest_unit(const Ui& ui, const std::vector<InspectorRow>& rows) {
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  float width = 0;
  for (const InspectorRow& row : rows) {
    width = std::max(width, sink.text_width(TextStyle::small, row.value.unit));
  }
  return width;
}

}  // namespace

void draw_rows(const Ui& ui, const std::vector<InspectorRow>& rows) {
  const float unit = widest_unit(ui, rows);
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  for (const InspectorRow& row : rows) {
    const float needed = sink.text_width(TextStyle::body, row.label) +
                         sink.text_width(TextStyle::body_medium, row.value.value) + unit +
                         ui.px(row.warn ? 46 : 24);
    if (needed <= ImGui::GetContentRegionAvail().x && row.warn) {
      const text::Quantity marked{std::string(icon::kWarning) + "  " + row.value.value,
                                  row.value.unit};
      value_row(ui, row.label, marked, unit, TextStyle::body_medium, ui.theme.warn);
      tooltip(ui, row_tip(ui.texts, row));
      wrapped_text(ui, TextStyle::small, ui.theme.text2, row.about);
    } else if (needed <= ImGui::GetContentRegionAvail().x) {
      value_row(ui, row.label, row.value, unit);
      tooltip(ui, row_tip(ui.texts, row));
    } else {
      ImGui::Dummy({0, ui.px(5)});
      text(ui, TextStyle::body, ui.theme.text2, row.label);
      tooltip(ui, row_tip(ui.texts, row));
      // A number stays in the number column, below its label.
      if (!row.value.unit.empty() && !row.warn) {
        value_row(ui, "", row.value, unit);
        continue;
      }
      ImGui::Dummy({0, ui.px(4)});
      wrapped_text(ui, TextStyle::mono, row.warn ? ui.theme.warn : ui.theme.text,
                   row.value.joined());
      if (row.warn) wrapped_text(ui, TextStyle::small, ui.theme.text2, row.about);
      ImGui::Dummy({0, ui.px(5)});
    }
  }
}

bool copy_button(const Ui& ui, const char* id) {
  const char* words = ui.texts("common.copy");
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  constexpr const char* kIcon = "\xef\x83\x85";  // two sheets
  const float width = sink.text_width(TextStyle::body, kIcon) +
                      sink.text_width(TextStyle::body_medium, words) + ui.px(24);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
  return button(ui, id, kIcon, words, "", ButtonKind::quiet, width);
}

}  // namespace ts::views
