#include "views/snapshot/block_rows.h"

#include <imgui.h>

#include <array>
#include <string>

#include "core/io/text_table.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr std::array kHeadings = {"file.groups.share", "file.groups.bytes", "file.groups.count",
                                  "file.groups.largest", "file.groups.name"};
constexpr int kName = 4;  // the column of words

std::string weight_words(double weight, bool times) {
  return times ? text::decimal(weight / text::kBytesInGiB, 3) + " GiB\u00b7s"
               : text::bytes(static_cast<std::int64_t>(weight)).joined();
}

std::string name_words(const ViewContext& context, const blocks::BlockGroup& group,
                       blocks::GroupBy by) {
  if (by == blocks::GroupBy::category) {
    return context.texts(category_key(context.run->memory.blocks()[group.first].category));
  }
  if (!group.name.empty()) return group.name;
  return context.texts(by == blocks::GroupBy::op ? "file.groups.no_operator" : "flame.no_stack");
}

}  // namespace

std::optional<std::size_t> draw_block_rows(const Ui& ui, const ViewContext& context,
                                           std::span<const blocks::BlockGroup> groups,
                                           blocks::GroupBy by, bool bytes_times_seconds) {
  std::optional<std::size_t> clicked;
  double all = 0;
  for (const blocks::BlockGroup& group : groups) all += group.weight;
  const auto cells = [&](const blocks::BlockGroup& group) {
    return std::array<std::string, kHeadings.size()>{
        text::decimal(all > 0 ? 100 * group.weight / all : 0, 1) + " %",
        weight_words(group.weight, bytes_times_seconds), text::grouped(group.count),
        text::bytes(group.largest).joined(), name_words(context, group, by)};
  };
  const FontScope font(ui, TextStyle::body);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg;
  const TableColors colors(ui);
  if (!ImGui::BeginTable("###blocks", static_cast<int>(kHeadings.size()), kFlags)) return clicked;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < kHeadings.size(); ++i) {
    ImGui::TableSetupColumn(ui.texts(kHeadings[i]),
                            i == kName ? ImGuiTableColumnFlags_WidthStretch : 0);
  }
  table_headings([](int column) { return column != kName; });
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(groups.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto row = cells(groups[static_cast<std::size_t>(i)]);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(i);
      if (ImGui::Selectable(
              "###row", false,
              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
        clicked = static_cast<std::size_t>(i);
      tooltip(ui, row[kName]);
      ImGui::PopID();
      ImGui::SameLine(0, 0);
      right_aligned(row[0]);
      for (std::size_t column = 1; column < kName; ++column) right_aligned_column(row[column]);
      ImGui::TableNextColumn();
      cell_text(row[kName]);
    }
  }
  const bool copied =
      ImGui::IsWindowFocused() && ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_C, false);
  ImGui::EndTable();
  if (copied) {
    io::TextTable table;
    for (const char* const heading : kHeadings) table.columns.emplace_back(ui.texts(heading));
    for (const blocks::BlockGroup& group : groups) {
      const auto row = cells(group);
      table.rows.emplace_back(row.begin(), row.end());
    }
    ImGui::SetClipboardText(io::to_tsv(table).c_str());
  }
  return clicked;
}

}  // namespace ts::views
