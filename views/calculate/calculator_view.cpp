#include "views/calculate/calculator_view.h"

#include <imgui.h>

#include <algorithm>

#include "core/calculate/calculation_table.h"
#include "views/calculate/chosen_inputs.h"
#include "views/charts/icons.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// Widths at scale 1.
constexpr float kValues = 170;
constexpr float kInputs = 440;

std::string title_of(const Ui& ui, const calculate::Calculator& calculator) {
  return ui.texts("calculate.title." + std::string(calculator.id));
}

}  // namespace

CalculatorView::CalculatorView() {
  for (const calculate::Calculator& calculator : calculate::calculators())
    values_.emplace_back(calculator);
}

// Takes what the settings have and the calculator allows.
void CalculatorView::take(const NumberOf& of_settings) {
  calculate::Values& values = values_[shown_];
  const auto& inputs = values.calculator().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto number = of_settings(inputs[i].name);
    if (number && *number >= inputs[i].least && *number <= inputs[i].most)
      (void)values.set(i, *number);
  }
}

void CalculatorView::draw_head(const Ui& ui, const NumberOf& of_settings) {
  const auto all = calculate::calculators();
  const calculate::Calculator& calculator = shown().calculator();
  const float width = std::min(ui.px(380), ImGui::GetContentRegionAvail().x * 0.45F);
  select(ui, "###calculator", title_of(ui, calculator), "", width, [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string id = "###calculator_" + std::string(all[i].id);
      if (!list_row(ui, id.c_str(), title_of(ui, all[i]), "", i == shown_)) continue;
      shown_ = i;
      problem_ = {};
      return true;
    }
    return false;
  });
  ImGui::SameLine(0, ui.px(8));
  const bool any = std::ranges::any_of(calculator.inputs, [&](const calculate::Input& input) {
    return of_settings(input.name).has_value();
  });
  ImGui::BeginDisabled(!any);
  if (text_button(ui, "###calculator_take", "calculate.take", ButtonKind::plain)) take(of_settings);
  ImGui::EndDisabled();
  tooltip(ui, ui.texts(any ? "calculate.take_about" : "calculate.nothing_to_take"));
  ImGui::SameLine(0, ui.px(8));
  if (icon_button(ui, "###calculator_copy", icon::kCopy, "common.copy", ButtonKind::quiet)) {
    const io::TextTable table = calculate::calculation_table(values_[shown_], ui.texts);
    ImGui::SetClipboardText((title_of(ui, calculator) + "\n\n" + io::to_markdown(table)).c_str());
  }
  ImGui::Dummy({0, ui.px(2)});
  text(ui, TextStyle::small, ui.theme.text2,
       ui.texts("calculate.source", {{"source", calculator.source}}));
  ImGui::Dummy({0, ui.px(6)});
}

void CalculatorView::draw_terms(const Ui& ui) {
  const calculate::Values& values = shown();
  const calculate::Calculator& calculator = values.calculator();
  const std::vector<double> results = values.terms();
  const FontScope font(ui, TextStyle::body);
  const TableColors colors(ui);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;
  if (ImGui::BeginTable("###calculator_terms", 3, kFlags)) {
    ImGui::TableSetupColumn(ui.texts("calculate.column.what"), ImGuiTableColumnFlags_WidthStretch,
                            4);
    ImGui::TableSetupColumn(ui.texts("calculate.column.formula"),
                            ImGuiTableColumnFlags_WidthStretch, 5);
    ImGui::TableSetupColumn(ui.texts("calculate.column.value"), ImGuiTableColumnFlags_WidthFixed,
                            ui.px(kValues));
    table_headings([](int at) { return at == 2; });
    const auto paragraph = [](Color color, const char* words) {
      ImGui::PushStyleColor(ImGuiCol_Text, color);
      ImGui::TextWrapped("%s", words);
      ImGui::PopStyleColor();
    };
    for (std::size_t i = 0; i < results.size(); ++i) {
      const calculate::Term& term = calculator.terms[i];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      paragraph(ui.theme.text, ui.texts("calculate.term." + std::string(term.name)));
      paragraph(ui.theme.text3, term.name);
      ImGui::TableNextColumn();
      paragraph(ui.theme.text2, calculate::formula_text(term.formula).c_str());
      right_aligned_column(calculate::value_text(results[i], term.unit));
      const std::string exact = calculate::exact_text(results[i], term.unit);
      if (exact.empty()) continue;
      ImGui::PushStyleColor(ImGuiCol_Text, ui.theme.text3);
      right_aligned(exact);
      ImGui::PopStyleColor();
    }
    ImGui::EndTable();
  }
}

void CalculatorView::draw(const Ui& ui, const NumberOf& of_settings) {
  draw_head(ui, of_settings);
  const float inputs = std::min(ui.px(kInputs), ImGui::GetContentRegionAvail().x * 0.42F);
  if (ImGui::BeginChild("###calculator_inputs", {inputs, 0}, ImGuiChildFlags_NavFlattened))
    draw_chosen_inputs(ui, values_[shown_], problem_);
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::BeginChild("###calculator_results", {0, 0}, ImGuiChildFlags_NavFlattened))
    draw_terms(ui);
  ImGui::EndChild();
}

}  // namespace ts::views
