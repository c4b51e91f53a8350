#include "views/inspector/inspector_view.h"

#include <imgui.h>

#include <algorithm>

#include "core/checks/trace_checks.h"
#include "core/files/opened_trace.h"
#include "views/charts/stale_mark.h"
#include "views/common/exact_bytes.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/inspector/file_block.h"
#include "views/inspector/file_rows.h"
#include "views/inspector/gpu_rows.h"
#include "views/inspector/inspector_rows.h"
#include "views/inspector/obstacle_view.h"
#include "views/inspector/peak_table.h"
#include "views/inspector/remedy_list.h"
#include "views/inspector/result_curve_panel.h"
#include "views/inspector/row_list.h"
#include "views/inspector/state_rows.h"
#include "views/inspector/steps_panel.h"
#include "views/inspector/trace_rows.h"

namespace ts::views {
namespace {

// The source of the figures if they are not of a complete run of the current settings.
void draw_standing(const Ui& ui, const std::string& words) {
  if (words.empty()) return;
  ImGui::Dummy({0, ui.px(6)});
  wrapped_text(ui, TextStyle::body_medium, ui.theme.warn, words);
  ImGui::Dummy({0, ui.px(2)});
}

void draw_peak(const Ui& ui, const ViewContext& context) {
  const std::vector<CategoryRow> rows = peak_rows(context);
  if (rows.empty()) return;
  const PeakNames names = peak_names(context);
  section(ui, names.heading);
  draw_standing(ui, peak_standing(context));
  std::int64_t total = 0;
  // One unit for the column, that of the total, so that the rows are easy to compare. A size that
  // would read zero has its own unit.
  for (const CategoryRow& row : rows) total += row.bytes;
  const std::string unit = text::bytes(total).unit;
  const char letter = unit.front();
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  float unit_width = sink.text_width(TextStyle::small, unit);
  for (const CategoryRow& row : rows) {
    const std::string own = bytes_in_column(row.bytes, letter).unit;
    unit_width = std::max(unit_width, sink.text_width(TextStyle::small, own));
  }
  for (const CategoryRow& row : rows) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float swatch = ui.px(9);
    const float y = at.y + (ui.px(24) - swatch) / 2;
    sink.fill({at.x, y, at.x + swatch, y + swatch},
              ui.theme.category[static_cast<std::size_t>(row.category)], 1);
    ImGui::Indent(ui.px(18));
    value_row(ui, row.label, bytes_in_column(row.bytes, letter), unit_width, TextStyle::body);
    exact_bytes_tip(ui, row.bytes);
    ImGui::Unindent(ui.px(18));
  }
  value_row(ui, names.total, text::bytes_in(total, letter), unit_width, TextStyle::body_strong);
  exact_bytes_tip(ui, total);
}

// The profiler's steps in a trace do not hold all of its kernels: its figures are of the whole.
std::optional<std::int64_t> steps_of(const ViewContext& context, const stats::KernelTable& table) {
  return context.trace != nullptr ? std::nullopt : std::optional(table.steps);
}

void draw_card_types(const Ui& ui, const ViewContext& context) {
  const std::vector<InspectorRow> rows = card_type_rows(context);
  if (rows.empty()) return;
  section(ui, ui.texts("inspector.types_on",
                       {{"card", limit_text(ui.texts, context.outlook->target->target.name)}}));
  draw_rows(ui, rows);
  ImGui::Dummy({0, ui.px(8)});
}

}  // namespace

std::optional<spec::WorkloadSpec> InspectorView::draw(const Ui& ui, const ViewContext& context,
                                                      const base::Message& engine_problem) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(2)));
  const auto gap = [&ui](float height) { ImGui::Dummy({0, ui.px(height)}); };
  gap(4);
  draw_verdict(ui, context, engine_problem);
  gap(4);
  std::optional<spec::WorkloadSpec> tried;
  const bool of_run = context.file == nullptr && context.trace == nullptr;
  if (of_run && context.outlook != nullptr) tried = draw_obstacle(ui, *context.outlook);
  gap(8);
  divider(ui);
  gap(8);
  // A new selection scrolls the panel to the top, where the selection is drawn.
  const ViewState& view = context.state;
  const bool selected = context.run != nullptr && (view.selected_slice || view.selected_block);
  if (selected) {
    if (view.selected_slice != last_slice_ || view.selected_block != last_block_)
      ImGui::SetScrollY(0);
    draw_selection(ui, context);
    gap(8);
    divider(ui);
    gap(8);
  }
  // For a workload whose numbers matter, they come first.
  if (of_run && draw_result_curves(ui, context)) gap(8);
  draw_peak_table(ui, context);
  if (of_run && context.run != nullptr) {
    if (icon_button(ui, "###show_agreement", "\xef\x83\x8e", "agreement.open", ButtonKind::plain,
                    "E")) {
      context.state.show_agreement = true;
    }
    tooltip(ui, ui.texts("agreement.open_hint"));
  }
  gap(4);
  draw_peak(ui, context);
  gap(8);
  if (of_run && context.outlook != nullptr) {
    if (auto remedy = draw_remedies(ui, *context.outlook)) tried = std::move(remedy);
  }
  if (of_run) draw_card_types(ui, context);
  if (of_run && context.run != nullptr) {
    draw_standing(ui, standing_text(context));
    const ImVec2 body = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    draw_rows(ui, run_rows(context));
    draw_gpu(ui, context);
    draw_steps(ui, *context.run, ui.px(56));
    draw_check_list(ui, checks_.of(*context.run, context.strings));
    if (!context.stale.empty()) {
      ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
      draw_faded(sink, ui.theme, {body.x, body.y, body.x + width, ImGui::GetCursorScreenPos().y});
    }
  }
  if (context.trace != nullptr) {
    draw_gpu(ui, context);
    auto checks = checks::of_trace(context.trace->summary, context.trace->about.fault);
    const auto& findings = context.trace->findings;
    checks.insert(checks.begin(), findings.begin(), findings.end());
    draw_check_list(ui, checks);
  }
  bool copy = false;
  if (context.run != nullptr) copy = copy_button(ui, "###copy_inspector");
  if (context.run != nullptr && !selected) {
    gap(8);
    divider(ui);
    gap(4);
    draw_selection(ui, context);
  }
  ImGui::PopStyleVar();

  const ImGuiIO& io = ImGui::GetIO();
  const bool key = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) && io.KeyCtrl &&
                   ImGui::IsKeyPressed(ImGuiKey_C) && !io.WantTextInput;
  if (key || copy) ImGui::SetClipboardText(shown_as_text(context).c_str());
  return tried;
}

void InspectorView::draw_gpu(const Ui& ui, const ViewContext& context) {
  if (context.run == nullptr) return;
  if (const auto rows = state_rows(ui.texts, *context.run); !rows.empty()) {
    ImGui::Dummy({0, ui.px(6)});
    section(ui, ui.texts("inspector.gpu_state"));
    draw_rows(ui, rows);
  }
  const stats::KernelTable& table = kernels_.of(context);
  for (const stats::DeviceUse& use : table.devices) {
    ImGui::Dummy({0, ui.px(6)});
    section(ui, ui.texts("inspector.gpu", {{"device", std::to_string(use.device)}}),
            ui.texts("inspector.gpu_remark", {{"count", text::grouped(use.kernels)}}));
    draw_rows(ui, gpu_rows(ui.texts, use, steps_of(context, table)));
  }
}

std::string InspectorView::shown_as_text(const ViewContext& context) {
  const std::string standing = standing_text(context);
  std::vector<InspectorRow> rows = context.trace != nullptr  ? trace_rows(context)
                                   : context.file != nullptr ? file_rows(context)
                                                             : run_rows(context);
  if (context.run != nullptr) {
    for (auto& row : state_rows(context.texts, *context.run)) rows.push_back(std::move(row));
  }
  const stats::KernelTable& table = kernels_.of(context);
  for (const stats::DeviceUse& use : table.devices) {
    for (auto& row : gpu_rows(context.texts, use, steps_of(context, table)))
      rows.push_back(std::move(row));
  }
  for (const CategoryRow& row : peak_rows(context)) {
    rows.push_back({row.label, {text::grouped(row.bytes), "B"}});
  }
  for (auto& row : tab_ == Tab::slice ? slice_rows(context) : block_rows(context)) {
    rows.push_back(std::move(row));
  }
  for (auto& row : file_block_rows(context)) rows.push_back(std::move(row));
  return (standing.empty() ? "" : standing + "\n") + to_tsv(rows) + stack_as_text(context);
}

void InspectorView::draw_selection(const Ui& ui, const ViewContext& context) {
  // The tab of the last selection comes to the front automatically.
  if (context.state.selected_slice != last_slice_) {
    last_slice_ = context.state.selected_slice;
    if (last_slice_) tab_ = Tab::slice;
  }
  if (context.state.selected_block != last_block_) {
    last_block_ = context.state.selected_block;
    if (last_block_) tab_ = Tab::allocation;
  }
  // A memory snapshot has allocations only.
  if (context.file != nullptr) tab_ = Tab::allocation;
  const Choice choices[] = {{"tab_slice", ui.texts("inspector.tab.slice"), {}},
                            {"tab_allocation", ui.texts("inspector.tab.allocation"), {}}};
  int chosen = tab_ == Tab::slice ? 0 : 1;
  if (context.file != nullptr) {
    section(ui, ui.texts("inspector.tab.allocation"));
  } else if (segmented(ui, "###selection", choices, chosen,
                       std::min(ImGui::GetContentRegionAvail().x, ui.px(220)))) {
    tab_ = chosen == 0 ? Tab::slice : Tab::allocation;
  }
  ImGui::Dummy({0, ui.px(4)});
  std::vector<InspectorRow> rows = tab_ == Tab::slice ? slice_rows(context) : block_rows(context);
  for (auto& row : file_block_rows(context)) rows.push_back(std::move(row));
  if (rows.empty()) {
    wrapped_text(ui, TextStyle::body, ui.theme.text3,
                 ui.texts(tab_ == Tab::slice ? "inspector.no_slice" : "inspector.no_allocation"));
    return;
  }
  const std::string standing = card_standing(context, tab_ == Tab::allocation);
  draw_standing(ui, standing);
  const ImVec2 body = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  draw_rows(ui, rows);
  if (!standing.empty()) {
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    draw_faded(sink, ui.theme, {body.x, body.y, body.x + width, ImGui::GetCursorScreenPos().y});
  }
  draw_file_stack(ui, context);
}

}  // namespace ts::views
