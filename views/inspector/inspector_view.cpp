#include "views/inspector/inspector_view.h"

#include <imgui.h>

#include <algorithm>

#include "views/common/imgui_sink.h"
#include "views/common/widgets.h"
#include "views/inspector/inspector_rows.h"
#include "views/inspector/peak_table.h"

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

// A value too long for its row goes below its label, wrapped.
void draw_rows(const Ui& ui, const std::vector<InspectorRow>& rows) {
  const float unit = widest_unit(ui, rows);
  const ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  for (const InspectorRow& row : rows) {
    const float needed = sink.text_width(TextStyle::body, row.label) +
                         sink.text_width(TextStyle::body_medium, row.value.value) + unit +
                         ui.px(24);
    if (needed <= ImGui::GetContentRegionAvail().x) {
      value_row(ui, row.label, row.value, unit);
    } else {
      text(ui, TextStyle::body, ui.theme.text2, row.label);
      wrapped_text(ui, TextStyle::mono, ui.theme.text, row.value.joined(), ui.px(16));
    }
  }
}

void draw_peak(const Ui& ui, const ViewContext& context) {
  const std::vector<CategoryRow> rows = peak_rows(context);
  if (rows.empty()) return;
  section(ui, ui.texts("inspector.peak"));
  std::int64_t total = 0;
  // One unit for the column, that of the total, so that the rows can be compared at a glance.
  for (const CategoryRow& row : rows) total += row.bytes;
  const std::string unit = text::bytes(total).unit;
  const char letter = unit.front();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const float unit_width = sink.text_width(TextStyle::small, unit);
  for (const CategoryRow& row : rows) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float swatch = ui.px(9);
    const float y = at.y + (ui.px(24) - swatch) / 2;
    sink.fill({at.x, y, at.x + swatch, y + swatch},
              ui.theme.category[static_cast<std::size_t>(row.category)], 1);
    ImGui::Indent(ui.px(18));
    value_row(ui, row.label, text::bytes_in(row.bytes, letter), unit_width, TextStyle::body);
    ImGui::Unindent(ui.px(18));
  }
  value_row(ui, ui.texts("inspector.total"), text::bytes_in(total, letter), unit_width,
            TextStyle::body_strong);
}

}  // namespace

void InspectorView::draw(const Ui& ui, const ViewContext& context,
                         const std::string& engine_problem) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(2)));
  const auto gap = [&ui](float height) { ImGui::Dummy({0, ui.px(height)}); };
  gap(4);
  draw_verdict(ui, context, engine_problem);
  gap(8);
  divider(ui);
  gap(8);
  draw_peak_table(ui, context);
  gap(4);
  draw_peak(ui, context);
  gap(8);
  draw_rows(ui, run_rows(context));
  if (context.run != nullptr) {
    gap(8);
    divider(ui);
    gap(4);
    draw_selection(ui, context);
  }
  ImGui::PopStyleVar();

  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && io.KeyCtrl &&
      ImGui::IsKeyPressed(ImGuiKey_C) && !io.WantTextInput) {
    std::vector<InspectorRow> rows = run_rows(context);
    for (const CategoryRow& row : peak_rows(context)) {
      rows.push_back({row.label, {text::grouped(row.bytes), "B"}});
    }
    for (auto& row : tab_ == Tab::slice ? slice_rows(context) : block_rows(context)) {
      rows.push_back(std::move(row));
    }
    ImGui::SetClipboardText(to_tsv(rows).c_str());
  }
}

void InspectorView::draw_selection(const Ui& ui, const ViewContext& context) {
  // The tab of what was selected last comes to the front by itself.
  if (context.state.selected_slice != last_slice_) {
    last_slice_ = context.state.selected_slice;
    if (last_slice_) tab_ = Tab::slice;
  }
  if (context.state.selected_block != last_block_) {
    last_block_ = context.state.selected_block;
    if (last_block_) tab_ = Tab::allocation;
  }
  const Choice choices[] = {{"tab_slice", ui.texts("inspector.tab.slice"), {}},
                            {"tab_allocation", ui.texts("inspector.tab.allocation"), {}}};
  int chosen = tab_ == Tab::slice ? 0 : 1;
  if (segmented(ui, "###selection", choices, chosen,
                std::min(ImGui::GetContentRegionAvail().x, ui.px(220)))) {
    tab_ = chosen == 0 ? Tab::slice : Tab::allocation;
  }
  ImGui::Dummy({0, ui.px(4)});
  const std::vector<InspectorRow> rows =
      tab_ == Tab::slice ? slice_rows(context) : block_rows(context);
  if (rows.empty()) {
    wrapped_text(ui, TextStyle::body, ui.theme.text3,
                 ui.texts(tab_ == Tab::slice ? "inspector.no_slice" : "inspector.no_allocation"),
                 ui.px(16));
    return;
  }
  draw_rows(ui, rows);
}

}  // namespace ts::views
