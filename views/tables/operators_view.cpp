#include "views/tables/operators_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>

#include "core/files/opened_trace.h"
#include "core/report/kernel_report.h"
#include "core/report/module_report.h"
#include "core/report/operator_report.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/charts/stale_mark.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// Indexed by OperatorsTab.
constexpr std::array kTabs = {"tables.by_operator", "tables.by_shape", "tables.by_module",
                              "tables.by_phase",    "tables.by_stack", "tables.by_kernel",
                              "tables.by_tree"};
constexpr std::array<std::string_view, kTabs.size()> kTabNames = {
    "operators", "shapes", "modules", "phases", "stacks", "kernels", "tree"};
// During a run the table is updated at this interval, not in every frame.
constexpr std::int64_t kPause = 500'000'000;

// A trace counts as a whole, with what lies between the profiler's steps.
std::string steps_text(const ViewContext& context, const stats::OperatorTable& table,
                       std::optional<base::TimeRange> range) {
  if (range) {
    const auto length = static_cast<double>(range->length());
    return context.texts("tables.marked", {{"duration", text::duration_ns(length).joined()}});
  }
  if (context.trace == nullptr)
    return context.texts("tables.remark", {{"steps", text::grouped(table.steps)}});
  const auto steps = std::ssize(context.trace->summary.steps);
  if (steps == 0) return context.texts("tables.whole_trace");
  return context.texts("tables.whole_trace_steps", {{"steps", text::grouped(steps)}});
}

}  // namespace

base::Result<OperatorsTab> operators_tab_from_name(std::string_view name) {
  const auto found = std::ranges::find(kTabNames, name);
  if (found != kTabNames.end()) return static_cast<OperatorsTab>(found - kTabNames.begin());
  return base::fail("The table of operators has no tab \"" + std::string(name) +
                    "\"; it has operators, shapes, modules, phases, stacks, kernels and tree");
}

void OperatorsView::update(const ViewContext& context, OperatorsTab& tab) {
  const run::Run& run = *context.run;
  if (tab == OperatorsTab::kernel && !has_kernels(run)) tab = OperatorsTab::op;
  const std::uint64_t slices = run.trace.slice_count();
  // A mark that is still drawn changes in every frame.
  const bool settled = !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const auto range = settled ? context.state.marked : range_;
  const bool same = made_ && run.id == run_id_ && made_tab_ == tab && range == range_;
  const bool wait = !run.finished && context.now_ns - made_ns_ < kPause;
  if (!same || (slices != slices_ && !wait)) {
    const bool tree = tab == OperatorsTab::tree;
    // The tree only needs the shares beside it, which do not depend on the grouping.
    table_ =
        stats::operator_table(run.trace, run.memory, context.strings,
                              tree ? stats::GroupBy::op : static_cast<stats::GroupBy>(tab), range);
    range_ = range;
    if (tree) tree_.update(run, context.strings);
    made_ = true;
    made_ns_ = context.now_ns;
    made_tab_ = tab;
    run_id_ = run.id;
    slices_ = slices;
  }
  rows_ = shown_rows(table_, context.strings, context.texts, filter_, sort_by_, descending_);
}

void OperatorsView::draw(const Ui& ui, const ViewContext& context, OperatorsTab& tab) {
  if (context.run == nullptr || context.file != nullptr || context.run->trace.slice_count() == 0) {
    section(ui, ui.texts("tables.title"));
    wrapped_text(ui, TextStyle::body, ui.theme.text3, ui.texts("tables.empty"));
    return;
  }
  update(context, tab);
  draw_heading(ui, context, tab);
  const float shares = ui.px(28) * (static_cast<float>(table_.phases.size()) + 2);
  const float height = std::max(ui.px(120), ImGui::GetContentRegionAvail().y - shares);
  const bool stale = !context.stale.empty();
  if (stale) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.6F);
  if (tab == OperatorsTab::kernel) {
    kernels_.draw(ui, context, range_, filter_, height);
  } else if (tab == OperatorsTab::tree) {
    tree_.draw(ui, height);
  } else {
    draw_table(ui, context, height);
  }
  if (stale) ImGui::PopStyleVar();
  const ImVec2 shares_at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  draw_shares(ui);
  if (!stale) return;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_faded(sink, ui.theme,
             {shares_at.x, shares_at.y, shares_at.x + width, ImGui::GetCursorScreenPos().y});
}

void OperatorsView::draw_heading(const Ui& ui, const ViewContext& context, OperatorsTab& tab) {
  const bool tree = tab == OperatorsTab::tree;
  const std::string steps = steps_text(context, table_, tree ? std::nullopt : range_);
  const char* const partial = partial_key(context);
  const std::string of = !context.stale.empty() ? stale_text(ui.texts, context.stale)
                         : partial != nullptr   ? std::string(ui.texts(partial))
                                                : std::string();
  section(
      ui, ui.texts("tables.title"),
      of.empty() ? steps : ui.texts("common.two_sentences", {{"first", of}, {"second", steps}}));
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < kTabs.size(); ++i) {
    const bool kernels = static_cast<OperatorsTab>(i) == OperatorsTab::kernel;
    choices.push_back({"group_" + std::to_string(i), ui.texts(kTabs[i]),
                       kernels && !has_kernels(*context.run) ? ui.texts("tables.no_kernels") : ""});
  }
  int chosen = static_cast<int>(tab);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool narrow = room < ui.px(1130);
  const float width = std::min(ui.px(660), narrow ? room : room * 0.55F);
  if (segmented(ui, "###group", choices, chosen, width)) {
    tab = static_cast<OperatorsTab>(chosen);
    update(context, tab);
  }
  // In a narrow panel the next items have a separate row.
  if (!narrow) ImGui::SameLine(0, ui.px(12));
  {
    const FontScope font(ui, TextStyle::body);
    // The tree is shown in full: rows without their parents would mean little.
    ImGui::BeginDisabled(tree);
    ImGui::SetNextItemWidth(std::min(ui.px(220), room * 0.3F));
    ImGui::InputTextWithHint("###filter", ui.texts("tables.filter"), &filter_);
    ImGui::EndDisabled();
  }
  draw_copying(ui, context, tab);
  ImGui::Dummy({0, ui.px(4)});
}

// The buttons that copy the shown rows, in their order.
void OperatorsView::draw_copying(const Ui& ui, const ViewContext& context, OperatorsTab tab) {
  const auto shown = [&] {
    if (tab == OperatorsTab::kernel) {
      return report::kernel_text(kernels_.shown(), context.strings,
                                 report::compute_capability(*context.run));
    }
    if (tab == OperatorsTab::tree)
      return report::module_text(tree_.tree(), context.run->spec.dtype);
    stats::OperatorTable rows = table_;
    rows.rows.clear();
    for (const std::uint32_t row : rows_) rows.rows.push_back(table_.rows[row]);
    return report::operator_text(rows, context.strings);
  };
  const auto copy = [&](const char* id, const char* words, auto make) {
    ImGui::SameLine(0, ui.px(4));
    if (button(ui, id, "\xef\x83\x85", words, "", ButtonKind::quiet))
      ImGui::SetClipboardText(make(shown()).c_str());
  };
  copy("###copy_tsv", "TSV", [](const io::TextTable& table) { return io::to_tsv(table); });
  copy("###copy_markdown", "Markdown",
       [](const io::TextTable& table) { return io::to_markdown(table); });
  copy("###copy_latex", "LaTeX", [](const io::TextTable& table) {
    return io::to_latex(table, "Operators", "tab:operators");
  });
}

void OperatorsView::draw_table(const Ui& ui, const ViewContext& context, float height) {
  const FontScope font(ui, TextStyle::body);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg;
  const TableColors colors(ui);
  const float whole_width = ImGui::GetContentRegionAvail().x;
  constexpr auto& kColumns = report::kOperatorColumns;
  if (ImGui::BeginTable("###operators", static_cast<int>(kColumns.size()), kFlags, {0, height})) {
    ImGui::TableSetupScrollFreeze(1, 1);
    const float name_width = std::clamp(whole_width * 0.24F, ui.px(260), ui.px(460));
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      ImGuiTableColumnFlags flags = kColumns[i].number != nullptr
                                        ? ImGuiTableColumnFlags_PreferSortDescending
                                        : ImGuiTableColumnFlags_PreferSortAscending;
      if (i == report::kSelfTimeColumn) flags |= ImGuiTableColumnFlags_DefaultSort;
      const std::string id = "###column_" + std::to_string(i);
      ImGui::TableSetupColumn((ui.texts(kColumns[i].heading) + id).c_str(), flags,
                              i == report::kNameColumn ? name_width : 0, static_cast<ImGuiID>(i));
    }
    table_headings(
        [](int column) { return kColumns[static_cast<std::size_t>(column)].number != nullptr; });
    if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
        specs != nullptr && specs->SpecsCount > 0) {
      sort_by_ = specs->Specs[0].ColumnUserID;
      descending_ = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    }
    rows_in_view(rows_.size(), [&](std::size_t i) {
      const stats::OperatorRow& row = table_.rows[rows_[i]];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const std::string name = row_name(table_, row, context.strings, context.texts);
      cell_name(name);
      tooltip(ui, name);
      for (const report::OperatorColumn& column : kColumns) {
        if (report::names_the_row(column)) continue;
        ImGui::TableNextColumn();
        const std::string words = operator_cell(table_, row, column, context.strings);
        if (column.number != nullptr) {
          right_aligned(words);
        } else {
          ImGui::TextUnformatted(words.c_str());
        }
      }
    });
    ImGui::EndTable();
  }
}

// One bar for each phase, divided by class, with percentages if there is room.
void OperatorsView::draw_shares(const Ui& ui) const {
  ImGui::Dummy({0, ui.px(4)});
  section(ui, ui.texts("tables.shares"));
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  for (const stats::ClassShares& phase : table_.phases) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = ui.px(20);
    sink.text({at.x, at.y + (height - sink.text_height(TextStyle::body)) / 2}, TextStyle::body,
              ui.theme.text2, ui.texts(phase_key(phase.phase)));
    float x = at.x + ui.px(110);
    const float whole = width - ui.px(110);
    for (std::size_t i = static_cast<std::size_t>(trace::SliceClass::matmul);
         i < phase.self_ns.size(); ++i) {
      if (phase.self_ns[i] <= 0) continue;
      const double part =
          static_cast<double>(phase.self_ns[i]) / static_cast<double>(phase.total_ns);
      const float end = x + static_cast<float>(part) * whole;
      sink.fill({x, at.y, std::max(end - 1, x + 1), at.y + height}, ui.theme.slice[i]);
      const std::string words =
          std::string(ui.texts(class_key(static_cast<trace::SliceClass>(i)))) + " " +
          text::decimal(part * 100, 1) + " %";
      const float needed = sink.text_width(TextStyle::small, words);
      if (needed + ui.px(8) < end - x) {
        sink.text({x + ui.px(4), at.y + (height - sink.text_height(TextStyle::small)) / 2},
                  TextStyle::small, ui.theme.slice_text[i], words);
      }
      x = end;
    }
    ImGui::Dummy({width, height});
  }
}

}  // namespace ts::views
