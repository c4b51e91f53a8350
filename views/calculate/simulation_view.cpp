#include "views/calculate/simulation_view.h"

#include <imgui.h>

#include <algorithm>

#include "core/text/numbers.h"
#include "views/calculate/chosen_inputs.h"
#include "views/calculate/gantt_figure.h"
#include "views/charts/icons.h"
#include "views/common/imgui_sink.h"
#include "views/common/spec_words.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// Widths at scale 1.
constexpr float kInputsWidth = 440;
constexpr float kNumber = 110;

std::string title_of(const Ui& ui, const simulate::Simulation& simulation) {
  return ui.texts("simulate.title." + std::string(simulation.id));
}

void draw_table(const Ui& ui, const io::TextTable& table) {
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_SizingFixedFit;
  const float height = ui.px(36) + ImGui::GetTextLineHeightWithSpacing() *
                                       (static_cast<float>(table.rows.size()) + 1);
  const auto columns = static_cast<int>(table.columns.size());
  if (!ImGui::BeginTable("###simulation_figures", columns, kFlags, {0, height})) return;
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

void draw_checks(const Ui& ui, const SimulationView::Shown& shown) {
  for (std::size_t i = 0; i < shown.checks->size(); ++i) {
    const auto& at = (*shown.points)[i].at;
    for (const report::CheckResult& one : (*shown.checks)[i]) {
      const bool passed = one.state == report::CheckState::passed;
      const Color color = passed                                    ? ui.theme.ok
                          : one.state == report::CheckState::failed ? ui.theme.bad
                                                                    : ui.theme.warn;
      std::string words = at ? shown.experiment->over + " = " + text::grouped(*at) + ": " : "";
      words.append(one.id).append(" ").append(message_words(ui.texts, one.found));
      wrapped_text(ui, TextStyle::body, color, words, ui.px(12));
      if (!passed) tooltip(ui, message_words(ui.texts, one.why));
    }
  }
}

void draw_timeline(const Ui& ui, const simulate::Outcome& outcome) {
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  const GanttFigure figure{.theme = ui.theme, .metrics = ui.metrics, .outcome = outcome};
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = gantt_figure_height(figure);
  draw_gantt_figure(sink, {from.x, from.y, from.x + width, from.y + height}, figure);
  ImGui::Dummy({width, height});
}

void draw_results(const Ui& ui, const SimulationView::Shown& shown) {
  const std::string id = shown.experiment->simulation->id;
  wrapped_text(ui, TextStyle::body, ui.theme.text2, ui.texts("simulate.about." + id), ui.px(12));
  ImGui::Dummy({0, ui.px(4)});
  draw_table(ui, table_of(*shown.experiment, *shown.points, ui.texts));
  if (shown.busy) text(ui, TextStyle::body, ui.theme.text2, ui.texts("simulate.running"));
  draw_checks(ui, shown);
  ImGui::Dummy({0, ui.px(8)});
  draw_timeline(ui, shown.points->front().outcome);
}

}  // namespace

SimulationView::SimulationView() {
  for (const simulate::Simulation& simulation : simulate::simulations())
    numbers_.emplace_back(simulation.id, simulation.inputs);
}

const simulate::Simulation& SimulationView::simulation() const {
  return simulate::simulations()[shown_];
}

std::optional<simulate::Experiment> SimulationView::experiment() {
  const std::string over = over_.empty() ? "" : over_ + "=" + over_text_.data();
  auto made = simulate::experiment_of(simulation().id, {}, over);
  if (!made) {
    problem_ = made.error();
    return std::nullopt;
  }
  made->chosen = numbers_[shown_];
  return std::move(*made);
}

// The input that varies, and its numbers. Returns whether they changed.
bool SimulationView::draw_over(const Ui& ui) {
  bool changed = false;
  const std::string none = ui.texts("simulate.over_none");
  const float width = ImGui::GetContentRegionAvail().x;
  select(ui, "###simulation_over", ui.texts("simulate.over"), over_.empty() ? none : over_, width,
         [&] {
           const auto row = [&](const std::string& name, const std::string& label) {
             const std::string id = "###over_" + (name.empty() ? "none" : name);
             if (!list_row(ui, id.c_str(), label, name, over_ == name)) return false;
             changed = over_ != name;
             over_ = name;
             return true;
           };
           bool chosen = row("", none);
           for (const calculate::Input& input : simulation().inputs) {
             const std::string label = ui.texts("calculate.input." + std::string(input.name));
             chosen = row(input.name, label) || chosen;
           }
           return chosen;
         });
  if (changed && !over_.empty()) {
    const auto& inputs = simulation().inputs;
    const auto input = std::ranges::find(inputs, over_, &calculate::Input::name);
    std::string numbers;
    // Doubled from the start value, as far as its range goes.
    for (std::int64_t number = std::max<std::int64_t>(input->start, 1), i = 0;
         i < 4 && number <= input->most; ++i, number *= 2)
      numbers += (numbers.empty() ? "" : ",") + std::to_string(number);
    over_text_.fill('\0');
    numbers.copy(over_text_.data(), over_text_.size() - 1);
  }
  if (!over_.empty()) {
    ImGui::SetNextItemWidth(width);
    changed =
        ImGui::InputText("###simulation_over_numbers", over_text_.data(), over_text_.size()) ||
        changed;
  }
  ImGui::Dummy({0, ui.px(8)});
  return changed;
}

void SimulationView::draw_head(const Ui& ui, const Shown& shown, Answer& answer) {
  const auto all = simulate::simulations();
  const float width = std::min(ui.px(380), ImGui::GetContentRegionAvail().x * 0.4F);
  select(ui, "###simulation", title_of(ui, simulation()), "", width, [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string id = "###simulation_" + std::string(all[i].id);
      if (!list_row(ui, id.c_str(), title_of(ui, all[i]), "", i == shown_)) continue;
      shown_ = i;
      over_.clear();
      problem_ = {};
      asked_ = false;
      return true;
    }
    return false;
  });
  ImGui::BeginDisabled(shown.experiment == nullptr);
  ImGui::SameLine(0, ui.px(8));
  if (button(ui, "###simulation_copy", icon::kCopy, ui.texts("common.copy"), "",
             ButtonKind::quiet)) {
    const io::TextTable table = table_of(*shown.experiment, *shown.points, ui.texts);
    const std::string title = title_of(ui, *shown.experiment->simulation);
    ImGui::SetClipboardText((title + "\n\n" + io::to_markdown(table)).c_str());
  }
  ImGui::SameLine(0, ui.px(8));
  answer.picture = button(ui, "###simulation_picture", icon::kPicture, ui.texts("stepper.picture"),
                          "", ButtonKind::quiet);
  ImGui::SameLine(0, ui.px(8));
  answer.timeline = button(ui, "###simulation_timeline", icon::kTimeline,
                           ui.texts("simulate.timeline"), "", ButtonKind::quiet);
  tooltip(ui, ui.texts("simulate.timeline_about"));
  ImGui::EndDisabled();
  ImGui::Dummy({0, ui.px(6)});
}

SimulationView::Answer SimulationView::draw(const Ui& ui, const Shown& shown) {
  Answer answer;
  draw_head(ui, shown, answer);
  const float inputs = std::min(ui.px(kInputsWidth), ImGui::GetContentRegionAvail().x * 0.42F);
  bool changed = !asked_;
  if (ImGui::BeginChild("###simulation_inputs", {inputs, 0}, ImGuiChildFlags_NavFlattened)) {
    changed = draw_over(ui) || changed;
    changed = draw_chosen_inputs(ui, numbers_[shown_], problem_) || changed;
  }
  ImGui::EndChild();
  if (changed) {
    answer.ask = experiment();
    if (answer.ask) problem_ = {};
    asked_ = true;
  }
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::BeginChild("###simulation_results", {0, 0}, ImGuiChildFlags_NavFlattened)) {
    for (const base::Message& problem : {problem_, shown.problem}) {
      if (problem.empty()) continue;
      wrapped_text(ui, TextStyle::body, ui.theme.bad, message_words(ui.texts, problem), ui.px(12));
    }
    // The figures of another simulation are not shown for this one.
    const bool of_this = shown.experiment != nullptr &&
                         shown.experiment->simulation == &simulation() && !shown.points->empty();
    if (of_this) draw_results(ui, shown);
  }
  ImGui::EndChild();
  return answer;
}

}  // namespace ts::views
