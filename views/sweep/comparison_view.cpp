#include "views/sweep/comparison_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

struct List {
  const char* id;
  const char* key;
  const std::vector<sweep::ProfileRow>& rows;
  bool bytes;
};

std::vector<List> lists_of(const sweep::ProfileComparison& c) {
  std::vector<List> all = {{"operators", "sweep.compare.operators", c.operators, false}};
  if (!c.kernels.empty()) all.push_back({"kernels", "sweep.compare.kernels", c.kernels, false});
  all.push_back({"modules", "sweep.compare.modules", c.modules, false});
  all.push_back({"categories", "sweep.compare.categories", c.categories, true});
  all.push_back({"operator_bytes", "sweep.compare.operator_bytes", c.operator_bytes, true});
  all.push_back({"module_bytes", "sweep.compare.module_bytes", c.module_bytes, true});
  return all;
}

std::string amount(double value, bool bytes) {
  if (value < 0) return text::kNoNumber;
  return bytes ? text::bytes(static_cast<std::int64_t>(value)).joined()
               : text::duration_ns(value * 1e6).joined();
}

std::string signed_amount(double value, bool bytes) {
  if (value == 0) return "0";
  return (value > 0 ? "+" : "\xe2\x88\x92") + amount(std::abs(value), bytes);
}

std::string ratio(double a, double b) {
  return a > 0 && b >= 0 ? text::decimal(b / a, 2) + "\xc3\x97" : text::kNoNumber;
}

std::string calls(double value) {
  return value < 0 ? text::kNoNumber : text::decimal(value, value == std::floor(value) ? 0 : 1);
}

constexpr std::array<float, 6> kShares = {0.40F, 0.12F, 0.12F, 0.12F, 0.14F, 0.10F};
using Cells = std::array<std::string, kShares.size()>;

void draw_row_cells(DrawSink& sink, const Ui& ui, const Rect& row, const Cells& cells, Color color,
                    Color difference) {
  float x = row.x0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const float width = row.width() * kShares[i];
    const Rect cell{x, row.y0, x + width - ui.px(12), row.y1};
    if (i == 0) {
      text_in(sink, cell, TextStyle::body, color, cells[i]);
    } else {
      text_right(sink, cell, TextStyle::body, i == 4 ? difference : color, cells[i]);
    }
    x += width;
  }
}

void draw_headline(const Ui& ui, const std::string& key, const std::string& place, double step,
                   double peak) {
  std::string words = ui.texts(key, {{"place", place}});
  if (step > 0) words += ", " + amount(step, false);
  if (peak > 0) words += ", " + amount(peak, true);
  text(ui, TextStyle::body_strong, ui.theme.text, words);
}

void draw_rows(const Ui& ui, const List& list) {
  const float height = ui.px(25);
  const float width = ImGui::GetContentRegionAvail().x;
  {
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_row_cells(
        sink, ui, {at.x, at.y, at.x + width, at.y + height},
        {ui.texts("sweep.compare.name"), list.bytes ? "" : ui.texts("sweep.compare.calls"), "A",
         "B", ui.texts("sweep.compare.difference"), "B / A"},
        ui.theme.text3, ui.theme.text3);
    ImGui::Dummy({width, height});
  }
  if (!ImGui::BeginChild("###compare_rows")) {
    ImGui::EndChild();
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  rows_in_view(list.rows.size(), height, [&](std::size_t i) {
    const sweep::ProfileRow& row = list.rows[i];
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double difference = row.difference();
    const Color color = difference > 0   ? ui.theme.bad
                        : difference < 0 ? ui.theme.ok
                                         : ui.theme.text3;
    const std::string counts =
        list.bytes ? std::string() : calls(row.calls_a) + " / " + calls(row.calls_b);
    draw_row_cells(sink, ui, {at.x, at.y, at.x + width, at.y + height},
                   {row.name, counts, amount(row.a, list.bytes), amount(row.b, list.bytes),
                    signed_amount(difference, list.bytes), ratio(row.a, row.b)},
                   ui.theme.text, color);
    ImGui::Dummy({width, height});
  });
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

}  // namespace

std::string draw_comparison(const Ui& ui, ComparisonPage& page) {
  const sweep::ProfileComparison& c = page.comparison;
  draw_headline(ui, "sweep.compare.a", page.first, c.step_a, c.peak_a);
  draw_headline(ui, "sweep.compare.b", page.second, c.step_b, c.peak_b);
  if (c.step_a > 0 && c.step_b > 0 && c.peak_a > 0 && c.peak_b > 0) {
    text(ui, TextStyle::body, ui.theme.text2,
         ui.texts("sweep.compare.sentence", {{"time", text::decimal(c.step_b / c.step_a, 2)},
                                             {"memory", text::decimal(c.peak_b / c.peak_a, 2)}}));
  }
  ImGui::Dummy({0, ui.px(6)});
  const auto lists = lists_of(c);
  std::vector<Choice> choices;
  for (const List& list : lists) choices.push_back({list.id, ui.texts(list.key), ""});
  page.list = std::clamp(page.list, 0, static_cast<int>(lists.size()) - 1);
  const float copy_width = ui.px(120);
  segmented(ui, "###compare_list", choices, page.list,
            ImGui::GetContentRegionAvail().x - copy_width - ui.px(12));
  ImGui::SameLine(0, ui.px(12));
  std::string copied;
  if (button(ui, "###compare_copy", "\xef\x83\x85", ui.texts("sweep.copy"), "", ButtonKind::plain,
             copy_width)) {
    constexpr std::size_t kEverything = 100000;
    copied = sweep::comparison_markdown(c, page.first, page.second, kEverything);
  }
  ImGui::Dummy({0, ui.px(4)});
  draw_rows(ui, lists[static_cast<std::size_t>(page.list)]);
  return copied;
}

}  // namespace ts::views
