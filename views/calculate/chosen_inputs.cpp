#include "views/calculate/chosen_inputs.h"

#include <imgui.h>

#include <cstddef>

#include "core/text/numbers.h"
#include "views/common/log_slider.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"

namespace ts::views {
namespace {

// At scale 1: for the number of parameters of the largest models, and for others.
constexpr float kLongField = 170;
constexpr float kShortField = 84;
constexpr std::int64_t kLong = 100'000'000;

std::string label_of(const Ui& ui, const calculate::Input& input) {
  std::string label = ui.texts("calculate.input." + std::string(input.name));
  if (*input.unit != '\0') label += " (" + std::string(input.unit) + ")";
  return label;
}

// Draws the meaning, then the name in the formulas.
void draw_label(const Ui& ui, const calculate::Input& input) {
  text(ui, TextStyle::body, ui.theme.text2, label_of(ui, input));
  ImGui::SameLine(0, ui.px(10));
  text(ui, TextStyle::body, ui.theme.text3, input.name);
}

bool draw_input(const Ui& ui, calculate::Chosen& values, std::size_t index, float width,
                base::Message& problem) {
  const calculate::Input& input = values.inputs()[index];
  const std::int64_t before = values.of(index);
  if (input.is_switch()) {
    bool on = values.of(index) != 0;
    const std::string id = "###switch_" + std::string(input.name);
    if (toggle(ui, id.c_str(), label_of(ui, input) + "   " + input.name, on, width))
      (void)values.set(index, on ? 1 : 0);
    return values.of(index) != before;
  }
  draw_label(ui, input);
  SliderEdit edit;
  if (input.least < 1) {
    edit = number_row(ui, input.name, "", text::grouped(values.of(index)), width);
  } else {
    SliderSettings look;
    look.value = values.of(index);
    look.label_width = 0;
    look.field_width = input.most > kLong ? kLongField : kShortField;
    edit = log_slider(ui, input.name, look, LogScale(input.least, input.most), width);
  }
  if (edit.value) (void)values.set(index, *edit.value);
  if (edit.typed) {
    const auto set = values.set(input.name, *edit.typed);
    problem = set ? base::Message{} : set.error();
  }
  return values.of(index) != before;
}

}  // namespace

bool draw_chosen_inputs(const Ui& ui, calculate::Chosen& chosen, base::Message& problem) {
  const float width = ImGui::GetContentRegionAvail().x - ui.px(12);
  bool changed = false;
  for (std::size_t i = 0; i < chosen.inputs().size(); ++i)
    changed = draw_input(ui, chosen, i, width, problem) || changed;
  if (!problem.empty())
    wrapped_text(ui, TextStyle::body, ui.theme.bad, message_text(ui.texts, problem), ui.px(12));
  return changed;
}

}  // namespace ts::views
