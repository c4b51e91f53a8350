#include "views/tables/kernels_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/letters.h"
#include "core/report/kernel_report.h"
#include "core/text/numbers.h"
#include "views/charts/launch_words.h"
#include "views/common/widgets.h"
#include "views/tables/operator_rows.h"

namespace ts::views {
namespace {

constexpr float kSummary = 20;  // pixels at scale 1
constexpr std::array kKernelHeadings = {
    "tables.name",           "tables.calls",          "tables.total",
    "tables.share",          "tables.average",        "tables.p90",
    "tables.launch",         "tables.registers",      "tables.shared_memory",
    "tables.occupancy",      "tables.tensor_cores",   "tables.operator",
    "tables.operator_flops", "tables.operator_inputs"};
constexpr std::string_view kKernelOperator = "tables.operator";  // words, not numbers

std::string time(double nanoseconds) {
  return text::duration_ns(nanoseconds).joined();
}

const char* tensor_core_key(trace::TensorCores used) {
  if (used == trace::TensorCores::unknown) return "tables.not_told";
  return used == trace::TensorCores::yes ? "tables.yes" : "tables.no";
}

// The summary of all kernels, independent of the filter.
std::string summary_words(const ViewContext& context, const stats::KernelTable& table,
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
  const std::string summary = summary_words(context, table, range.has_value());
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
  if (!ImGui::BeginTable("###kernels", static_cast<int>(kKernelHeadings.size()), kFlags,
                         {0, height}))
    return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const char* const heading : kKernelHeadings) {
    ImGui::TableSetupColumn(ui.texts(heading), 0, heading == kKernelHeadings[0] ? name_width : 0);
  }
  table_headings([](int column) {
    return column > 0 && kKernelHeadings[static_cast<std::size_t>(column)] != kKernelOperator;
  });
  rows_in_view(shown_.rows.size(), [&](std::size_t i) {
    const stats::KernelRow& row = shown_.rows[i];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string name(context.strings.view(row.name));
    cell_name(name);
    tooltip(ui, name);
    const auto cell = [](const std::string& words) {
      ImGui::TableNextColumn();
      right_aligned(words);
    };
    cell(text::grouped(row.calls));
    cell(time(static_cast<double>(row.total_ns)));
    cell(text::decimal(row.share * 100, 1) + " %");
    cell(time(row.average_ns));
    cell(time(row.p90_ns));
    cell(extent_words(row.launch.grid) + " \xc2\xb7 " + extent_words(row.launch.block));
    cell(text::grouped(row.launch.registers));
    cell(text::bytes(row.launch.shared_memory).joined());
    const auto held = stats::occupancy(capability, row.launch);
    cell(held ? occupancy_words(ui.texts, *held) : text::kNoNumber);
    cell(ui.texts(tensor_core_key(row.tensor_cores)));
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(std::string(context.strings.view(row.launch.op)).c_str());
    cell(row.op_flops > 0 ? text::decimal(row.op_flops * 1e-9, 3) + " GFLOP" : text::kNoNumber);
    cell(row.op_input_bytes > 0
             ? text::bytes(static_cast<std::int64_t>(row.op_input_bytes)).joined()
             : text::kNoNumber);
  });
  ImGui::EndTable();
}

}  // namespace ts::views
