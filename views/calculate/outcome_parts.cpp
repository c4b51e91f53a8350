#include "views/calculate/outcome_parts.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "views/calculate/gantt_figure.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr float kNumber = 110;  // width of a column, at scale 1

// Doubled from the start value, as far as its range goes; both of a switch.
std::string usual_numbers(const calculate::Input& input) {
  if (input.is_switch()) return "0,1";
  std::string words;
  std::int64_t number = std::max<std::int64_t>(input.start, 1);
  for (int i = 0; i < 4 && number <= input.most; ++i, number *= 2)
    words += (words.empty() ? "" : ",") + std::to_string(number);
  return words;
}

}  // namespace

void draw_figures(const Ui& ui, const char* id, const io::TextTable& table) {
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit;
  const float height = ui.px(36) + ImGui::GetTextLineHeightWithSpacing() *
                                       (static_cast<float>(table.rows.size()) + 1);
  const auto columns = static_cast<int>(table.columns.size());
  if (!ImGui::BeginTable(id, columns, kFlags, {0, height})) return;
  for (int i = 0; i < columns; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const ImGuiTableColumnFlags fixed = ImGuiTableColumnFlags_WidthFixed;
    ImGui::TableSetupColumn(table.columns[at].c_str(), fixed, i < 2 ? 0 : ui.px(kNumber));
  }
  ImGui::TableSetupScrollFreeze(1, 1);
  table_headings([](int at) { return at >= 2; });
  for (const auto& row : table.rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    cell_text(row[0]);
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text3);
    cell_text(row[1]);
    ImGui::PopStyleColor();
    for (std::size_t i = 2; i < row.size(); ++i) right_aligned_column(row[i]);
  }
  ImGui::EndTable();
}

void draw_outcome_timeline(const Ui& ui, const simulate::Outcome& outcome) {
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const GanttFigure figure{.theme = ui.theme, .metrics = ui.metrics, .outcome = outcome};
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = gantt_figure_height(figure);
  draw_gantt_figure(sink, {from.x, from.y, from.x + width, from.y + height}, figure);
  ImGui::Dummy({width, height});
}

bool VariedInput::draw(const Ui& ui, std::span<const calculate::Input> inputs) {
  bool changed = false;
  const std::string none = ui.texts("simulate.over_none");
  const float width = ImGui::GetContentRegionAvail().x;
  const auto row = [&](const std::string& input, const std::string& label) {
    const std::string id = "###over_" + (input.empty() ? "none" : input);
    if (!list_row(ui, id.c_str(), label, input, name == input)) return false;
    changed = name != input;
    name = input;
    return true;
  };
  select(ui, "###simulation_over", ui.texts("simulate.over"), name.empty() ? none : name, width,
         [&] {
           bool chosen = row("", none);
           for (const calculate::Input& input : inputs) {
             const std::string label = ui.texts("calculate.input." + std::string(input.name));
             chosen = row(input.name, label) || chosen;
           }
           return chosen;
         });
  if (changed && !name.empty()) {
    numbers = usual_numbers(*std::ranges::find(inputs, name, &calculate::Input::name));
  }
  if (!name.empty()) {
    ImGui::SetNextItemWidth(width);
    changed = ImGui::InputText("###simulation_over_numbers", &numbers) || changed;
  }
  ImGui::Dummy({0, ui.px(8)});
  return changed;
}

}  // namespace ts::views
