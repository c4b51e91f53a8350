#include "views/calculate/text_table.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "views/common/widgets.h"

namespace ts::views {
namespace {

// The widths that the numbers need, where the shares of `room` would cut a cell; empty where all
// fit or where nothing would be left for the words. Zero for columns of words, which share the
// rest.
std::vector<float> widths_of_numbers(const io::TextTable& table, std::span<const float> weights,
                                     float room) {
  const float padding = 2 * ImGui::GetStyle().CellPadding.x;
  const float all = std::accumulate(weights.begin(), weights.end(), 0.0F);
  std::vector<float> widths(table.columns.size(), 0);
  float taken = 0;
  bool cut = false;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    float width = 0;
    const auto hold = [&width](const std::string& words) {
      width = std::max(width, std::ceil(ImGui::CalcTextSize(words.c_str()).x));
    };
    hold(table.columns[i]);
    for (const auto& row : table.rows) hold(row[i]);
    cut = cut || width + padding > room * weights[i] / all;
    if (!table.right[i]) continue;
    widths[i] = width;
    taken += width + padding;
  }
  constexpr float kMostForNumbers = 0.85F;
  const bool words = std::ranges::find(table.right, false) != table.right.end();
  if (!cut || !words || taken > kMostForNumbers * room) return {};
  return widths;
}

}  // namespace

void draw_text_table(const Ui& ui, const io::TextTable& table, std::span<const float> weights,
                     const TableStyle& look) {
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;
  if (look.height > 0) flags |= ImGuiTableFlags_ScrollY;
  const int columns = static_cast<int>(table.columns.size());
  const std::vector<float> widths =
      widths_of_numbers(table, weights, ImGui::GetContentRegionAvail().x);
  if (!ImGui::BeginTable(look.id, columns, flags, {0, look.height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool fixed = !widths.empty() && widths[i] > 0;
    ImGui::TableSetupColumn(
        table.columns[i].c_str(),
        fixed ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
        fixed ? widths[i] : weights[i]);
  }
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
