#include "views/snapshot/row_table.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/io/text_table.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// In the current cell: from its left edge, green for less, red for more.
void draw_bar(const Ui& ui, double part) {
  if (part == 0) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float length =
      std::max(ui.px(1), static_cast<float>(std::min(std::abs(part), 1.0)) * width);
  const Color color = with_alpha(part > 0 ? ui.theme.bad : ui.theme.ok, 0.28F);
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + length, at.y + ImGui::GetTextLineHeight()},
                                            color, ui.px(2));
}

}  // namespace

void RowTable::sort(const Content& content) {
  order_.resize(content.rows);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (!sorted_by_) return;
  const std::size_t column = *sorted_by_;
  const auto by = [&](const auto& keys) {
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
      return descending_ ? keys[b] < keys[a] : keys[a] < keys[b];
    });
  };
  if (column + 1 < content.headings.size()) {
    std::vector<double> keys(content.rows);
    for (const std::size_t row : order_) keys[row] = content.value(row, column);
    return by(keys);
  }
  std::vector<std::string> keys(content.rows);
  for (const std::size_t row : order_) keys[row] = content.cells(row).back();
  by(keys);
}

RowTable::Answer RowTable::draw(const Ui& ui, const Content& content) {
  Answer answer;
  const std::size_t words = content.headings.size() - 1;
  const FontScope font(ui, TextStyle::body);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  const TableColors colors(ui);
  if (!ImGui::BeginTable(content.id, static_cast<int>(content.headings.size()), kFlags))
    return answer;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < content.headings.size(); ++i) {
    const std::string heading =
        std::string(ui.texts(content.headings[i])) + "###column_" + std::to_string(i);
    ImGui::TableSetupColumn(heading.c_str(),
                            i == words ? ImGuiTableColumnFlags_WidthStretch
                                       : ImGuiTableColumnFlags_PreferSortDescending,
                            i == 0 && content.bar ? ui.px(160) : 0);
  }
  table_headings([words](int column) { return static_cast<std::size_t>(column) != words; });
  ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
  const bool resorted = specs != nullptr && specs->SpecsDirty;
  if (resorted) {
    specs->SpecsDirty = false;
    sorted_by_.reset();
    if (specs->SpecsCount > 0) {
      sorted_by_ = static_cast<std::size_t>(specs->Specs[0].ColumnIndex);
      descending_ = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    }
  }
  if (resorted || version_ != content.version || order_.size() != content.rows) {
    version_ = content.version;
    sort(content);
  }
  rows_in_view(order_.size(), [&](std::size_t i) {
    const std::size_t row = order_[i];
    const std::vector<std::string> cells = content.cells(row);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable("###row", content.chosen == row,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
      answer.clicked = row;
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) answer.menu = row;
    if (ImGui::IsItemHovered()) tooltip(ui, content.hover ? content.hover(row) : cells[words]);
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    if (content.bar) draw_bar(ui, content.bar(row));
    right_aligned(cells[0]);
    for (std::size_t column = 1; column < words; ++column) right_aligned_column(cells[column]);
    ImGui::TableNextColumn();
    cell_name(cells[words]);
  });
  const bool copied =
      ImGui::IsWindowFocused() && ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_C, false);
  ImGui::EndTable();
  if (copied) {
    io::TextTable table;
    for (const char* const heading : content.headings)
      table.columns.emplace_back(ui.texts(heading));
    for (const std::size_t row : order_) table.rows.push_back(content.cells(row));
    ImGui::SetClipboardText(io::to_tsv(table).c_str());
  }
  return answer;
}

}  // namespace ts::views
