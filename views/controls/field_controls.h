#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/spec/spec_fields.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"

// Controls of single settings, made from their row in the table of settings.
namespace ts::views {

// Why the setting does not matter here, in the chosen language; empty when it does.
std::string reason_text(const ControlsContext& context, spec::Field field);
// What is wrong with its value; empty when nothing is.
std::string problem_text(const ControlsContext& context, spec::Field field);

// The values of a ChoiceField with their labels, each with the reason why it cannot be chosen now:
// the setting does not apply, or the specification would have a problem that it has not yet.
std::vector<Choice> field_choices_of(const ControlsContext& context, spec::Field field);

// The control of a setting: slider, joined buttons or a list, switch, or a field for a number.
void draw_field(const ControlsContext& context, spec::Field field, float width);

// Indices of choices: those that can be chosen, and those that this machine or the other settings
// refuse. What is chosen now is among the first, and so are all where all are refused.
struct SortedChoices {
  std::vector<std::size_t> possible;
  std::vector<std::size_t> refused;
};
SortedChoices sorted_choices(const std::vector<Choice>& choices, int chosen);
// "2 not here", which opens when it is clicked; nothing where nothing is refused. Whether it is
// open.
bool draw_refused_fold(const Ui& ui, const char* id, const SortedChoices& choices);

// Settings that do not matter here: nothing without any, else one line with how many, which opens
// to them.
void draw_idle_fields(const Ui& ui, const char* id, std::span<const spec::Field> fields,
                      const std::function<void(spec::Field)>& draw);

// All settings of a section of the table, folded away under a heading that says how many of them
// are not as they are by default. Those that do not matter here are folded away once more.
void draw_folded_fields(const ControlsContext& context, const char* id, std::string_view title,
                        std::span<const spec::Field> fields, float width);

}  // namespace ts::views
