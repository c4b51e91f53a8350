#include "views/calculate/text_table.h"

#include <imgui.h>

#include "views/common/widgets.h"

namespace ts::views {

void draw_text_table(const Ui& ui, const io::TextTable& table, std::span<const float> weights,
                     const TableLook& look) {
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;
  if (look.height > 0) flags |= ImGuiTableFlags_ScrollY;
  const int columns = static_cast<int>(table.columns.size());
  if (!ImGui::BeginTable(look.id, columns, flags, {0, look.height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    ImGui::TableSetupColumn(table.columns[i].c_str(), ImGuiTableColumnFlags_WidthStretch,
                            weights[i]);
  table_headings(
      [&](int at) { return static_cast<bool>(table.right[static_cast<std::size_t>(at)]); });
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    ImGui::PushID(static_cast<int>(row));
    ImGui::TableNextRow();
    const auto color = look.row_color ? look.row_color(row) : std::nullopt;
    ImGui::PushStyleColor(ImGuiCol_Text, color.value_or(ui.theme.text));
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      if (column == 0 && look.pressed) {
        ImGui::TableNextColumn();
        if (ImGui::Selectable("###row", false, ImGuiSelectableFlags_SpanAllColumns))
          look.pressed(row);
        ImGui::SameLine(0, 0);
        right_aligned(table.rows[row][column]);
      } else if (table.right[column]) {
        right_aligned_column(table.rows[row][column]);
      } else {
        ImGui::TableNextColumn();
        const bool cut = cell_text(table.rows[row][column]);
        if (cut && !look.about) tooltip(ui, table.rows[row][column]);
      }
      if (look.about) tooltip(ui, look.about(row, column));
    }
    ImGui::PopStyleColor();
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace ts::views
