#include "views/tables/module_tree_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/report/module_report.h"
#include "core/text/numbers.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

constexpr std::array kModuleHeadings = {"tables.module", "tables.calls",      "tables.total",
                                        "tables.share",  "tables.forward",    "tables.backward",
                                        "tables.flops",  "tables.parameters", "tables.kept"};

}  // namespace

void ModuleTreeView::update(const run::Run& run, const base::StringTable& strings) {
  tree_ = stats::module_tree(run.trace, run.memory, strings);
  dtype_ = run.spec.dtype;
}

void ModuleTreeView::draw(const Ui& ui, float height) {
  if (tree_.nodes.empty()) return;
  const FontScope font(ui, TextStyle::body);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg;
  const TableColors colors(ui);
  if (ImGui::BeginTable("###module_tree", static_cast<int>(kModuleHeadings.size()), kFlags,
                        {0, height})) {
    ImGui::TableSetupScrollFreeze(1, 1);
    for (const char* const heading : kModuleHeadings) {
      ImGui::TableSetupColumn(ui.texts(heading), 0, heading == kModuleHeadings[0] ? ui.px(280) : 0);
    }
    table_headings([](int column) { return column > 0; });
    draw_row(ui, 0);
    ImGui::EndTable();
  }
}

void ModuleTreeView::draw_row(const Ui& ui, std::uint32_t index) {
  const stats::ModuleNode& node = tree_.nodes[index];
  const auto steps = static_cast<double>(std::max<std::int64_t>(tree_.steps, 1));
  const auto time = [&](std::int64_t ns) {
    return ns == 0 ? std::string() : text::duration_ns(static_cast<double>(ns) / steps).joined();
  };
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGuiTreeNodeFlags flags = ImGuiTreeNodeFlags_SpanAllColumns;
  if (node.children.empty()) flags |= ImGuiTreeNodeFlags_Leaf;
  // Open at first: the model and the list of its layers. A layer opens on request.
  if (index == 0 || (node.depth == 1 && !node.is_operator)) flags |= ImGuiTreeNodeFlags_DefaultOpen;
  const std::string name = index == 0 ? std::string(ui.texts("tables.whole")) : node.name;
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const std::string shown = name_within(name, room);
  const bool open = ImGui::TreeNodeEx((shown + "###node" + std::to_string(index)).c_str(), flags);
  if (shown != name) tooltip(ui, name);
  right_aligned_column(
      text::grouped(static_cast<std::int64_t>(static_cast<double>(node.calls) / steps)));
  right_aligned_column(time(node.total_ns()));
  const auto whole = static_cast<double>(std::max<std::int64_t>(tree_.nodes[0].total_ns(), 1));
  right_aligned_column(text::decimal(static_cast<double>(node.total_ns()) / whole * 100, 1) + " %");
  right_aligned_column(time(node.forward_ns));
  right_aligned_column(time(node.backward_ns));
  right_aligned_column(node.flops > 0 ? text::decimal(node.flops / steps * 1e-9, 3) + " GFLOP"
                                      : std::string());
  const std::int64_t parameters = report::parameters_in(node.parameter_bytes, dtype_);
  right_aligned_column(parameters > 0 ? text::grouped(parameters) : std::string());
  right_aligned_column(node.kept_bytes > 0 ? text::bytes(node.kept_bytes).joined() : std::string());
  if (!open) return;
  for (const std::uint32_t child : node.children) draw_row(ui, child);
  ImGui::TreePop();
}

}  // namespace ts::views
