#include "views/tables/kernels_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/letters.h"
#include "core/report/kernel_report.h"
#include "core/text/numbers.h"
#include "views/charts/launch_text.h"
#include "views/common/widgets.h"
#include "views/tables/operator_rows.h"

namespace ts::views {
namespace {

constexpr float kSummary = 20;  // pixels at scale 1

// The columns that have a heading there.
constexpr auto kShownColumns = [] {
  constexpr auto kCount = std::ranges::count_if(
      report::kKernelColumns,
      [](const report::KernelColumn& column) { return column.heading != nullptr; });
  std::array<const report::KernelColumn*, kCount> shown{};
  std::size_t next = 0;
  for (const report::KernelColumn& column : report::kKernelColumns) {
    if (column.heading != nullptr) shown[next++] = &column;
  }
  return shown;
}();

std::string time(double nanoseconds) {
  return text::duration_ns(nanoseconds).joined();
}

const char* tensor_core_key(trace::TensorCores used) {
  if (used == trace::TensorCores::unknown) return "tables.not_told";
  return used == trace::TensorCores::yes ? "tables.yes" : "tables.no";
}

struct ShownCell {
  const report::KernelColumn& column;
  const stats::KernelRow& row;
  const base::StringTable& strings;
  const text::Texts& texts;

  std::string operator()(double number) const { return shown_number(column.unit, number); }
  std::string operator()(base::StringId name) const { return std::string(strings.view(name)); }
  std::string operator()(const report::LaunchExtent&) const {
    return extent_text(row.launch.grid) + " \xc2\xb7 " + extent_text(row.launch.block);
  }
  std::string operator()(trace::TensorCores used) const { return texts(tensor_core_key(used)); }
  std::string operator()(const std::optional<stats::Occupancy>& held) const {
    return held ? occupancy_text(texts, *held) : text::kNoNumber;
  }
  std::string operator()(std::optional<stats::OccupancyLimit> limit) const {
    return limit ? report::limit_text(*limit) : text::kNoNumber;
  }
};

// The summary of all kernels, independent of the filter.
std::string summary_text(const ViewContext& context, const stats::KernelTable& table,
                         bool in_range) {
  std::int64_t calls = 0;
  std::int64_t on_tensor_cores_ns = 0;
  for (const stats::KernelRow& row : table.rows) calls += row.calls;
  for (const stats::DeviceUse& use : table.devices) on_tensor_cores_ns += use.tensor_core_ns;
  const auto steps = in_range ? 1 : std::max<std::int64_t>(table.steps, 1);
  const auto total = static_cast<double>(table.kernel_ns);
  return context.texts(
      in_range                   ? "tables.kernel_summary_range"
      : context.trace != nullptr ? "tables.kernel_summary_trace"
                                 : "tables.kernel_summary",
      {{"count", text::grouped(calls / steps)},
       {"time", time(total / static_cast<double>(steps))},
       {"percent",
        text::decimal(100 * static_cast<double>(on_tensor_cores_ns) / std::max(total, 1.0), 1)}});
}

}  // namespace

std::vector<stats::KernelRow> filtered(const stats::KernelTable& table,
                                       const base::StringTable& strings, std::string_view filter) {
  std::vector<stats::KernelRow> rows;
  for (const stats::KernelRow& row : table.rows) {
    if (base::contains_letters(strings.view(row.name), filter) ||
        base::contains_letters(strings.view(row.launch.op), filter))
      rows.push_back(row);
  }
  return rows;
}

void KernelsView::draw(const Ui& ui, const ViewContext& context,
                       std::optional<base::TimeRange> range, std::string_view filter,
                       float height) {
  const stats::KernelTable& table = figures_.of(context, range);
  shown_ = table;
  shown_.rows = filtered(table, context.strings, filter);
  if (table.rows.empty()) {
    const char* const why = range ? "tables.no_kernels_in_range" : "tables.no_kernels";
    wrapped_text(ui, TextStyle::body, ui.theme.text3, ui.texts(why));
    ImGui::Dummy({0, height - ui.px(16)});
    return;
  }
  const std::string summary = summary_text(context, table, range.has_value());
  views::text(ui, TextStyle::small, ui.theme.text2, summary);
  height -= ui.px(kSummary);
  const std::string capability = report::compute_capability(*context.run);
  const FontScope font(ui, TextStyle::body);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg;
  const TableColors colors(ui);
  const float name_width =
      std::clamp(ImGui::GetContentRegionAvail().x * 0.28F, ui.px(320), ui.px(640));
  if (!ImGui::BeginTable("###kernels", static_cast<int>(kShownColumns.size()), kFlags, {0, height}))
    return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const report::KernelColumn* const column : kShownColumns) {
    ImGui::TableSetupColumn(ui.texts(column->heading), 0,
                            column == kShownColumns.front() ? name_width : 0);
  }
  table_headings(
      [](int column) { return kShownColumns[static_cast<std::size_t>(column)]->right_in_window; });
  rows_in_view(shown_.rows.size(), [&](std::size_t i) {
    const stats::KernelRow& row = shown_.rows[i];
    const report::KernelFacts facts{row, stats::occupancy(capability, row.launch)};
    ImGui::TableNextRow();
    for (const report::KernelColumn* const column : kShownColumns) {
      ImGui::TableNextColumn();
      const ShownCell shown{*column, row, context.strings, ui.texts};
      const std::string words = std::visit(shown, column->value(facts));
      if (column == kShownColumns.front()) {
        cell_name(words);
        tooltip(ui, words);
      } else if (column->right_in_window) {
        right_aligned(words);
      } else {
        ImGui::TextUnformatted(words.c_str());
      }
    }
  });
  ImGui::EndTable();
}

}  // namespace ts::views
